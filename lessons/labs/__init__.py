"""The labs of the lessons: closed forms, the library's own numbers, and figures; one file a lesson."""
