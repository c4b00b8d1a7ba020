"""The segmentation rules, one module each: text into the character spans of its units.

A module's name is the rule's; its `units` takes a text and returns spans in order.
"""
