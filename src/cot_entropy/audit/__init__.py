"""Auditing: derive a run again from its stored generations and compare it with its registration.

May import every package below the command line but `workflow`, `estimate` and `consistency`.
"""
