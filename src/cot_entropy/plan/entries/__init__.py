"""The exploratory entries that a plan may hold, one module each: an estimator and its parameters.

A module's name is the estimator's, and its class that name in capitals (`eps_sweep`: `EpsSweep`).
"""
