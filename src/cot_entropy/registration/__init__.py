"""Registering: the freeze, the provenance of a run, departures and declared deviations.

May import `base`, `protocol`, `plan`, `formats`, `data`, `model`, `stats` and `study`.
"""
