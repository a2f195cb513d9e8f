"""The demo data of all services."""
