"""Proofs about laws: privacy curves, densities, sensitivity, composition and conversions.

Names are imported from their modules:

- `curves`: `delta`, `epsilon`, `pure`, `scale_for` of the noise laws
- `powers`, `integer_sums`, `table_powers`: several independent runs; `worst`, `releases`: the curve of a mechanism
- `vectors`: the same for vector noise, finite tables, mixtures and changes of location and scale
- `densities`: `analyse` a noise density given as a formula in z
- `sensitivity`, `smooth`: global, local, at distance k, smooth
- `outcomes`: (ε,δ) on outcomes and on sets
- `composition`, `conversions`: how guarantees combine, and how they follow from each other
- `additive`, `finite`: provers for mechanisms that add noise, and for those with finitely many outcomes
- `gradients`, `fields`, `minimisers`: programs that release the minimiser of a sum over records
"""
