"""Computing tokens: token ids in, sampled token ids and log-probabilities out.

May import `base`, `protocol` and `formats`.
"""
