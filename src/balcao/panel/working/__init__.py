"""Work on a form: its co-editors, and the typed text, which is stored until the form is sent."""
