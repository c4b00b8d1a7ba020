"""The registered plan and its declared differences, as strict models, and how they are read.

May import `base` and `protocol`.
"""
