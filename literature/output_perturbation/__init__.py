"""Lecture notes on output perturbation and private selection: claims 004-C…."""
