"""The city's CRM as upstream: the client that every feature shares."""
