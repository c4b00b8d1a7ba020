"""Registering: the freeze, the provenance of a run, departures and declared deviations.

May import everything from `base` to `stats`, and `study`.
"""
