"""Minha página: the pages on which logged-in citizens see and change their own data."""
