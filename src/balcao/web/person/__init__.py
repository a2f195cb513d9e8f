"""Pages about one person's data, for the counter, the data protection officer and the person themselves."""
