"""Questions: generated, hand-written, from a local file or from the hub."""
