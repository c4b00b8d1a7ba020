"""Measures of replication: an original effect beside a replication's, and one answer over cells.

Every function works on an estimate and its standard error on a scale where the estimate is near
normal (`effects`), so that published figures are enough.
"""
