"""The city's CRM as upstream: the client that every feature shares, and the sandbox CRM that stands in for it."""
