"""Generation: chains, prefixes and completions, kept question by question.

May import `base`, `protocol`, `formats` and `engine`.
"""
