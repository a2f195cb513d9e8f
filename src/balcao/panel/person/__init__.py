"""One person's data, as shown at the counter, to the data protection officer and to the person themselves."""
