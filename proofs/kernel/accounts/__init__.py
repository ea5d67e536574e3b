"""Checkers of compositions: δ(ε) of many steps, enclosed from both sides."""
