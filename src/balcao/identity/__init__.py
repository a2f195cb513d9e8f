"""Endpoints that the identity provider calls, whether it is the city's or the embedded one."""
