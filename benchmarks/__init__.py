"""Benchmarks: each a claim with its command, the peers beside us in the same run."""
