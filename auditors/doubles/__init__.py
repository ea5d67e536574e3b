"""Doubles are not reals: what the bit patterns of outputs give away."""
