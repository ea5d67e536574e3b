"""Proof by composition: what a program releases, listed along every path, for any number of records.

============ ====================================================================================================
file         what it does
============ ====================================================================================================
values       what a program computes with while it is read: sealed numbers, tests, lists
cells        the domain in cells; numbers of one record; what many ways through a function of it give together
closed       about how large numbers of parameters alone are, and whether they cancel at all values of these
state        what is known at one place of a program; copies of it, and one state in place of several
observing    numbers become public: by Gaussian elimination on draws
drawing      the words of `noise`
records      sums over records and maps over them, functions of one local record
folding      loops over records
coins        how much a coin tells whose chance depends on a local record
comparing    comparisons, and what is true
arithmetic   operators, and builtins on numbers
lists        lists, their entries and methods
builtins     builtin functions
functions    calls of functions and methods
expressions  expressions of the syntax tree
statements   statements that run as one
loops        loops of the program's own body: equal turns are one step, repeated
presence     whether a record is there, behind a noisy threshold
calling      helpers with loops, followed as the program itself is
paths        branches of the program's own body: both ways are followed, and joined where they can be
trees        steps of several ways as a tree
syntax       names and words for nodes of the syntax tree
certificate  from the steps to a certificate
worst        a failed proof in words: which release costs how much, under which move, on which pair
route        the prover
============ ====================================================================================================
"""
