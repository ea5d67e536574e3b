"""Programs on sorted real records, read for all datasets of a size at once: paths, gaps, releases, certificates."""
