"""Noise laws: privacy curves, densities given by a formula, tails, sums of integer noise."""
