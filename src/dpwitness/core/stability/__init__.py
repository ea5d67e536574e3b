"""Claims about deterministic functions of a dataset: what it holds, how far apart two outputs are, what is promised."""
