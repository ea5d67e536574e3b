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
values      symbolic values and the record of one run
interpret   the interpreter of the syntax tree
front       from the function to transitions between loop heads (trusted, as are the five above, merge, argmax, ranking)
merge       paths with the same effect
model       transitions, nodes
linear      linear programs (HiGHS)
clock       the time limit
farkas      exact multipliers
invariants  invariants of public variables
phases      what a proof remembers of the change of the data
shifts      the linear program over one iteration
search      targets of moves, rounding
argmax      the lemma on largest noisy values
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
