"""Tools without a subject: errors, strict models, files, progress, seeds, code digests.

May import no other package of this project.
"""
