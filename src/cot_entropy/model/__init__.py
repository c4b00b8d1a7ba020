"""The model to load: where its files come from, and what fixes their content.

May import `base`, `protocol` and `formats`.
"""
