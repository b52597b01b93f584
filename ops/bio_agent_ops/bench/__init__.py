"""Benchmarks: each prints its own conditions, measures in one run, and says which targets it misses."""
