"""The command `balcao`: one file per group of commands."""
