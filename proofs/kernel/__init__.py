"""The trusted kernel: everything that a proof rests on, in the standard library and python-flint alone.

========== =====================================================================================================
part       what it decides
========== =====================================================================================================
check      `check(certificate)`: recompute everything that a certificate claims, and return the theorem
theorem    what was verified, and nothing else; statements: its parts; claims: guarantees as certificates state them
arith      rationals and `arb` balls: outward rounding, precision, signs; limits: what a certificate may cost
spaces     finite spaces of inputs; moves: how far answers move; several: one statement for several sizes
outputs    the shape of what a program returns
algebra/   sums of exponentials, Laurent polynomials, formulas and their enclosures, polyhedra and Farkas proofs
laws/      privacy curves of the classical noise laws, densities given by a formula, tails, integer noise
releases/  numbers with additive noise, scales that depend on the data, sorted records, minimisers, finite tables
programs/  programs as decision trees: shifts, exact probabilities, counterexamples, random samples
loops/     programs with loops: any number of queries
accounts/  compositions: δ(ε) of many steps, enclosed from both sides
========== =====================================================================================================
"""
