"""PostgreSQL as the machine runs it: accounts, data, programs, base backups and Debian's clusters."""
