"""Translation validation: the model of a proof is run beside the program that ships, on the same inputs and draws."""
