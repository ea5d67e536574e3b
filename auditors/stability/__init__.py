"""Exact refutation of claims about deterministic functions: two inputs, two outputs, and how far apart they are."""
