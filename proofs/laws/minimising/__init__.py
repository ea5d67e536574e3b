"""The prover of programs that release a minimiser: its gradient, taken apart, and events that tell neighbours apart."""
