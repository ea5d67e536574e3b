"""Guesses of which input an output came from. Nothing here is trusted: a poor guess costs power, never validity."""
