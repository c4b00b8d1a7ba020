"""Others that vouch for a freeze: a timestamp authority, a signed git tag, OSF.

One module per kind; `store` keeps what they gave beside the freeze, `check` verifies it again.
"""
