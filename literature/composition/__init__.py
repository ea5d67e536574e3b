"""Lecture slides on (ε,δ)-DP and composition: claims 002-C…."""
