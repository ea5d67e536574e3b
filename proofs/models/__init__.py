"""Executable models of what the readers hand to the provers, to be run beside the program that ships."""
