"""The benchmark suite: our operations beside the same work on FastAPI with SQLAlchemy, and beside bare statements."""
