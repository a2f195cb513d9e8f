"""The operator's tasks for an installation. The commands in `balcao.cli` call them and print the results."""
