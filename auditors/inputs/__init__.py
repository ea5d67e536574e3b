"""Inputs at which programs are known to fail, and their neighbours; nothing here is evidence."""
