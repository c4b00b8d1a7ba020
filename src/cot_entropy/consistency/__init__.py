"""The second signal: does the stated reasoning lead to the stated answer?

May import `base`, `protocol`, `plan`, `formats`, `answers`, `stats` and `study`.
"""
