"""Lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith: claims 000-C…."""
