"""Counts of the services' responses in the last hours, by outcome."""
