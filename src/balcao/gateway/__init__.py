"""The gateway: one origin in front of all services, and the HTTP server."""
