"""From trajectories to estimates and verdicts.

May import `base`, `protocol`, `plan`, `formats`, `answers` and `signal`.
"""
