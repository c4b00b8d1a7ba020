"""The extraction rules, one module each: which answer a text gives (protocol section 5).

A module's name is the rule's; its `extract` takes the text after `folding.fold` and the kind of
answer, and returns the answer or None. It never raises, and its work is linear in the text.
"""
