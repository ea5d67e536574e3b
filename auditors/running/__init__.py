"""One audit from start to end: chunks, workers, checkpoints, shares of the limits."""
