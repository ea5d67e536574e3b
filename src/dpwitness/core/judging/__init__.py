"""From evidence to a verdict: what a theorem says is compared with what is claimed, and what else is tried."""
