"""The plan, its freeze, and what an auditor can check of a run."""
