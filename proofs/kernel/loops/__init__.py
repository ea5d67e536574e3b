"""Checkers of programs with loops, for any number of queries."""
