"""Which pair of inputs: candidates, screening, moves, ascent, shrinking."""
