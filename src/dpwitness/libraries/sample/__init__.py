"""A small library of our own, to show what a scan reports."""
