"""One person's data as the counter, the data protection officer and the person themselves see them."""
