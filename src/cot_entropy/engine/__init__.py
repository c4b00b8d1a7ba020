"""What turns token ids into sampled token ids: vLLM, or a script for unit tests."""
