"""The maintenance of services."""
