"""The prover of reports of one record of an interval: by choices and uniform draws that move with it."""
