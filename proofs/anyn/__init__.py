"""Proofs for any number of queries and any cutoff.

The loop is not unrolled: one linear program over one symbolic iteration finds how far the state of the two runs may
differ, by how much each draw is shifted, and a potential that pays for the shifts. See
``docs/any-number-of-queries.md``.

=========== ====================================================================================================
file        what it does
=========== ====================================================================================================
source      the text of the function that runs
syntax      the positive list of syntax; liveness
rewrite     comprehensions, sums and ``noise.argmax`` as loops
cutting     the top level cut at its loops
numbers     exact numbers, and how Python computes them
values      symbolic values and the record of one run
arithmetic  operations and comparisons of values
interpret   the interpreter of the syntax tree
trees       decision trees from runs
front       from the function to a decision tree for the start and for every loop head
model       the trees, with the transitions that the kernel reads from them
executable  the trees of a certificate, run beside the program
selection   rankings and permute-and-flip, run beside the program
probing     runs that reach every leaf and come near every boundary
points      parameters, answers and draws of several magnitudes
linear      linear programs (HiGHS)
clock       the time limit
farkas      exact multipliers
invariants  invariants of public variables
phases      what a proof remembers of the change of the data
shifts      the linear program over one iteration
search      targets of moves, rounding
argmax      the lemma on largest noisy values
flipping    permute-and-flip has the law of noisy max
ranking     the lemma on the k largest values, and on the largest with its lead
certificate JSON for the kernel
rederive    is a certificate about this program?
replay      the certified shift on real runs
budget      the claimed ε as a polynomial
prover      which shapes of proof are tried
route       `AnyNProver`
=========== ====================================================================================================
"""

from __future__ import annotations

from dpwitness.proofs.anyn.route import AnyNProver

__all__ = ["AnyNProver"]
