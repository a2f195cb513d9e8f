"""Developers' tools for the code itself. They are not installed with the program."""
