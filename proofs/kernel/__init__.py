"""The trusted kernel: everything that a proof rests on, in the standard library and python-flint alone.

========== =====================================================================================================
file       what it decides
========== =====================================================================================================
arith      rationals and `arb` balls: outward rounding, precision, signs
expsum     finite sums of rational × e^rational; zero by Lindemann–Weierstrass
expr       formulas: a parser on a whitelist, exact values, enclosures over boxes, derivatives
interval   closed intervals with exact end points, rounded outward
values     values of a formula over a box, or exactly at a point
cells      f > 0 or f ≥ 0 on a box, by a tree of cells that is replayed
claims     guarantees as certificates state them
tables     finite laws: pure loss and hockey-stick divergence, exactly
curves     privacy curves of the classical noise laws; `cauchy` for 1/(1+|z|^γ), `products` for vector noise
noise      a noise law by name; additive: certificates about answers with independent additive noise
integrals  rigorous integrals of formulas; tails: enclosures for all z ≥ T; shapes: kinks, ranges, one peak
density    noise densities by formula: normaliser, loss, hockey-stick divergence of a slide or a dilation
slopes     rational functions of e^m: ranges and slopes for all real m; minimisers: minimisers with spherical noise
trees      a program as a decision tree; polyhedra, moves: linear forms, Farkas proofs, how far answers move
shift      certificates of shifts; merging, folding: unions of leaves; lower: dual bounds; pairs: pair by pair
exppoly    exponential polynomials in ε; quotients of them; signs: for every ε > 0
integrate  exact probabilities of a leaf; comparisons: circles of tests; pieces: integrals; geometric: sums
witness    exact counterexamples; finite: all pairs of a finite space; normal: Gaussian noise
loops      programs with loops; loop_shifts, contests, ranking: any number of queries; subsampling: random samples
several    one statement from a certificate for each size of the inputs
spaces     finite spaces of inputs; linear: how far numbers move that are linear in real inputs; outputs: their shape
theorem    what was verified, and nothing else; statements: its parts; limits: what a certificate may cost
check      `check(certificate)`: recompute everything that a certificate claims, and return the theorem
========== =====================================================================================================
"""
