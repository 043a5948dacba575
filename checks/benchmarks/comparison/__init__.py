"""The parts of checks/benchmarks/compare."""
