"""Work on a form: the names of others who have it open, and the typed text, stored until the form is sent."""
