"""The second signal: does the stated reasoning lead to the stated answer?

May import everything from `base` to `stats`, and `study`.
"""
