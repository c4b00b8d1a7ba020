"""The files that stages pass to each other, and every path inside `results/`.

May import `base` and `protocol`.
"""
