"""What a run shows: the report page, its figures and tables, and the terminal's matrix.

May import everything from `base` to `stats`, `study` and `registration`.
"""
