"""The exploratory half of the analysis: E1 and on, one module per estimator.

A module's name is the estimator's in the plan (`plan/entries/` has its parameters); its `estimate`
takes a cell, the plan's entry and the plan's settings, and returns rows.
"""
