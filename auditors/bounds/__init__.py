"""What carries the promise: e-values, the e-process, the exact count, the ledger of α, implied hypotheses."""
