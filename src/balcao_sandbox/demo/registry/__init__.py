"""The demo data of the citizen registry."""
