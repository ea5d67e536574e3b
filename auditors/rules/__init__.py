"""Rules that guess a side, chosen on samples that are not counted afterwards."""
