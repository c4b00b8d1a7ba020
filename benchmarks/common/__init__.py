"""What the benchmarks of generation share."""
