"""The cap policies, one module each: of the units' ends, those that become prefixes.

A module's name is the policy's; its `probed` takes the ends in order and the cap.
"""
