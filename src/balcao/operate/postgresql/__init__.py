"""Operate PostgreSQL on this machine: accounts, data directories, programs, base backups and Debian clusters."""
