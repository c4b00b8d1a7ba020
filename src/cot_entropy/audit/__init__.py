"""Auditing: derive a run again from its stored generations and compare it with its registration.

May import every layer below it.
"""
