"""Proofs about programs at a fixed number of queries: the exact ε, or an exact counterexample.

=============== ================================================================================================
file            what it does
=============== ================================================================================================
estimate        how many ways through the program there are, by random walks; `exploring` follows them
tables          a program's symbolic paths as one decision tree, with ε eliminated; `building` puts it together
pruning, points branches that cannot be taken, with Farkas proofs; interior points
simplex         small linear programs in exact rationals
alignment       the cheapest shift of the noise for one output, and its dual
merging         outputs of several paths whose union is one polyhedron
shift, floor    ε* from above (shifts) and from below (dual vectors); `rays` keeps the latter inside the space
folding         shifts that depend on the noise: a maximum over draws that stay counts as one more answer
counterexamples exact counterexamples among `candidates`, shrunk; `explain` turns them into evidence
enumerating     all pairs of a finite space: which way they are compared
finite_inputs   all pairs of finitely many inputs, by exact probabilities, for every ε; `pair_evidence` shows one
pairs           datasets with real outputs, pair by pair
losses          exact losses: of two inputs, of a finite space, of all real answers, as functions of ε
subsampling     programs that see one random sample of their records: the loss on samples, amplified
normal          Gaussian noise on finitely many inputs, at given ε and δ
scope           what a claim says about its inputs, in the terms of the provers
quoting         reasons with the line of the program
route           `ProgramProver`
=============== ================================================================================================
"""
