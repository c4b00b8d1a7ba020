"""Questions: the embedded datasets, local files and the hub, checked before use."""
