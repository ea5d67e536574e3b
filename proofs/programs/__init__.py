"""Proofs about programs at a fixed number of queries: the exact ε, or an exact counterexample.

=============== ================================================================================================
file            what it does
=============== ================================================================================================
estimate        how many ways through the program there are, by random walks; `exploring` follows them
tables          a program's symbolic paths as one decision tree, with ε eliminated
pruning, points branches that cannot be taken, with Farkas proofs; interior points
simplex         small linear programs in exact rationals
alignment       the cheapest shift of the noise for one output, and its dual
merging         outputs of several paths whose union is one polyhedron
shift, floor    ε* from above (shifts) and from below (dual vectors)
folding         shifts that depend on the noise: a maximum over draws that stay counts as one more answer
counterexamples exact counterexamples, shrunk; `explain` turns them into evidence
finite_inputs   all pairs of finitely many inputs, by exact probabilities, for every ε
pairs           datasets with real outputs, pair by pair
losses          exact losses: of two inputs, of a finite space, of all real answers, as functions of ε
normal          Gaussian noise on finitely many inputs, at given ε and δ
scope           what a claim says about its inputs, in the terms of the provers
quoting         reasons with the line of the program
route           `ProgramProver`
=============== ================================================================================================
"""
