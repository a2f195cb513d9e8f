"""Benchmarks that compare our operations with the same operations in Go and FastAPI, and with other checkouts."""
