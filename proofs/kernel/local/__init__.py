"""Reports of one record of an interval, as trees of choices, uniform draws and tests, and what they tell."""
