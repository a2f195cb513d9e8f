"""Counts of the services' responses in the last few hours, by outcome."""
