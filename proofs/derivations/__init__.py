"""Formulas that hold for all values of some parameters: sympy proposes, a search finds proofs, the kernel checks them."""
