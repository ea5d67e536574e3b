"""Benchmarks: ratio tables, printed; nothing here asserts a time."""
