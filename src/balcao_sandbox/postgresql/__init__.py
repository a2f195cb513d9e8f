"""The embedded PostgreSQL: created, started, supervised and stopped by us."""
