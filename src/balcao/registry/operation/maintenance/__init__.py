"""Putting services into maintenance."""
