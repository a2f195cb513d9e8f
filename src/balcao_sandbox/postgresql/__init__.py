"""The embedded PostgreSQL. The trial creates, starts, supervises and stops it."""
