"""The front door: one origin, prefixes, request ids, the pages that list the services."""
