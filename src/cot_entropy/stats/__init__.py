"""Estimates, intervals, tests and verdicts, from trajectories alone."""
