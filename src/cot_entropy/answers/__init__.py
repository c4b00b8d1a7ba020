"""Which answer a text gives, and which answers are the same."""
