"""Reads data for anonymous pages, as the site's machine client and through a bounded cache."""
