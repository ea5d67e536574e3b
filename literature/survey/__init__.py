"""A survey talk by Avrim Blum: claims 001-C…."""
