"""The city's CRM as an upstream: the client that all features share."""
