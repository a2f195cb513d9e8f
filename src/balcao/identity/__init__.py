"""The endpoint that the identity provider calls, whether it is the city's own provider or the embedded one."""
