"""Models: where they come from, how the demo's own is made."""
