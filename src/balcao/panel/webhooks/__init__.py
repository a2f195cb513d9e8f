"""Webhooks of a service at the panel: who is told of what happens there, and what became of each message."""
