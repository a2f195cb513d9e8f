"""The embedded PostgreSQL, which the trial creates, starts, supervises and stops."""
