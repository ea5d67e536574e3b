"""588 questions of a public benchmark (DPriv-Bench, category 1): 49 functions, 6 mechanisms, 2 scales.

`functions` and `mechanisms` are the two tables from which the questions are made, `deciding` decides them with
certificates, `brute` decides them again by search and formulas that share no code with the provers, and `page` writes
``docs/exam.md``. It stands among the benchmarks, because it measures: how many questions are decided, how fast, and
whether a search finds one that was decided wrongly.
"""
