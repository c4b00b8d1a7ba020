"""The signals: per-question numbers that may rank answers by reliability, one module each.

A module's name is the signal's; its `SIGNAL` is a `SignalSource`, oriented: a higher score means
more likely correct.
"""
