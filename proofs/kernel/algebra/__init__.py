"""Exact numbers with symbols, formulas and their enclosures, and linear forms: the arithmetic of the checkers."""
