"""The benchmark suite: our operations compared with the same ones in Go and FastAPI, and with other checkouts."""
