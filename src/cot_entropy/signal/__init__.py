"""From sampled answers to entropy trajectories."""
