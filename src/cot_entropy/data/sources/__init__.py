"""Where questions come from, one module each.

A module's name is what a configuration says as `source`; its class (`local`: `LocalDataset`) is how
the dataset is named, and its `load` gives the questions.
"""
