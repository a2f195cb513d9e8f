"""Maintenance of services."""
