"""What developers run on the code itself; nothing here is installed with the program."""
