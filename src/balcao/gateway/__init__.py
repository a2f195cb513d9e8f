"""The gateway, which offers all services at one origin, and the HTTP server."""
