"""PostgreSQL on this machine: accounts, data, programs, base backups and Debian's clusters."""
