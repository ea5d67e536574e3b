"""Privacy curves δ(ε) of noise laws: one run, k runs, vectors, finite tables."""
