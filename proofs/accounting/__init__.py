"""Certified accounting: brackets of δ(ε) and ε(δ) of compositions."""
