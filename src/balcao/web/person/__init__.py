"""Code for pages about one person's data: at the counter, for the data protection officer and for the person."""
