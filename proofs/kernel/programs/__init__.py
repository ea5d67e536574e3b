"""Checkers of programs as decision trees: shifts of the noise, exact probabilities, counterexamples, samples."""
