"""A protocol is three named blocks: chain, probe, scoring. A variant replaces one of them."""
