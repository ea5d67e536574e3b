"""Formulas with symbols: what is derived for all values of some parameters at once, checked step by step."""
