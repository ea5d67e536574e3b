"""The sensitivity of functions of n records, and releases of functions with noise.

Read `language` (what a formula means), `values` (its value at a dataset), `ratios` and `quotients` (when a quotient of
polynomials is never negative), `ranges`, `changes` (what one changed record does), `bounds` with `orders`, `terms` and
`rough` (the rules), `families` (pairs that attain a bound), then `functions` and `releases` (the checkers).
"""
