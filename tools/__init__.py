"""Tools for developers of this repository. They are not part of the installed program."""
