"""Mechanisms made of parts, as papers and systems have them, each with a broken twin: ``python -m
benchmarks.researchers``.

None of them is in the catalogue. A file holds a group; each mechanism names where it is described.
"""
