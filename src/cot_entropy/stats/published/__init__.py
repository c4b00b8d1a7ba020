"""The papers' figures, checked for consistency and set beside a run's own."""
