"""What a study takes before it is run: requests, tokens, hours, disk.

May import `base`, `protocol`, `formats`, `engine`, `data`, `model`, `generate` and `study`.
"""
