"""Benchmarks that compare our operations with the same ones in Go and FastAPI, and with other checkouts."""
