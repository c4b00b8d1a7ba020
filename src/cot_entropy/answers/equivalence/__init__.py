"""The equivalences, one module each: when two answers are the same (protocol section 5).

A module's name is the equivalence's. Its `compare` takes two answers and their kind and returns a
`Comparison`, whatever their order; its `classes` takes distinct answers and returns a name of each
one's class, and how many pairs were compared as strings.
"""
