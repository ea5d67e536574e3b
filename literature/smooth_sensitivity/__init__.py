"""Lecture slides on smooth sensitivity, after Nissim, Raskhodnikova and Smith: claims 003-C…."""
