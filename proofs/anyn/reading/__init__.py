"""From the text of a function with loops to its transitions: syntax, interpreter, numbers, decision trees."""
