"""Doctor and benchmarks."""
