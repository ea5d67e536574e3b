"""Audits of training: one step, one run, many runs. A run is dear, so every number that it gives is used."""
