"""From stored completions to trajectories: answers, entropies, violations, outcome.

May import `base`, `protocol`, `formats` and `answers`.
"""
