"""Formulas that hold for all values of some parameters: sympy proposes, a search proves, the kernel checks."""
