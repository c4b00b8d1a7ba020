"""The protocol's blocks, the engine's settings and the jobs made of them, as strict models.

May import `base`.
"""
