"""Checkers of programs that release one thing after the other: a transcript, and what its releases cost.

=========== ======================================================================================================
file        what it decides
=========== ======================================================================================================
knowledge   ranges and signs of public numbers
powers      signs of quotients of powers of e, and odds of coins in them
spans       how large a function of one record can be on a cell
inputs      cells and moves: the ways in which neighbours differ
scope       what is defined at a place; how far private numbers move
costs       the theorem: which guarantee follows from sums of costs
walk        the steps of a transcript, each with its cost
parts       the cost of running another mechanism
releases    what each kind of release costs
selections  what selections and thresholds cost
transcripts the checker
=========== ======================================================================================================
"""
