"""Rules about audits of training."""
