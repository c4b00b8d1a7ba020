"""Questions: generated, hand-written, from a local file or from the hub.

May import `base`, `protocol`, `formats` and `answers`.
"""
