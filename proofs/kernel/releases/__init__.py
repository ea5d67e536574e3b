"""Checkers of released numbers: additive noise, data-dependent scales, sorted records, minimisers, finite tables."""
