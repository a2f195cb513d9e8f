"""How many calls the services answered over the last hours, and how."""
