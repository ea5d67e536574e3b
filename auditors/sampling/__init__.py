"""Running somebody else's code: calls, random generators, isolation, behaviour, limits."""
