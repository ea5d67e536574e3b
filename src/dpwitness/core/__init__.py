"""The vocabulary that programs, provers, auditors and reports share."""
