"""What a run shows: the report page, its figures and tables, and the terminal's matrix.

May import `base`, `protocol`, `plan`, `formats`, `stats`, `study` and `registration`.
"""
