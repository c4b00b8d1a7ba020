"""What a study takes before it is run: requests, tokens, hours, disk.

May import everything from `base` to `generate`, and `study`.
"""
