"""Work on a form: who else has it open, and the typed text, which is stored until the form is sent."""
