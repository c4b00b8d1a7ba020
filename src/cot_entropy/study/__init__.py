"""The study file: models, datasets, protocols, judges, and the stored samples that they share.

May import `base`, `protocol`, `data` and `model`.
"""
