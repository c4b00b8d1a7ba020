"""What a study will take: requests, tokens, storage, memory and hours, before anything runs."""
