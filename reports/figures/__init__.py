"""Figures: plain data in, a matplotlib `Figure` out.

Every figure is a function of arrays, callables or the report; none computes evidence. matplotlib is imported when a
figure is drawn, through its object-oriented interface: no global state, no window.
"""
