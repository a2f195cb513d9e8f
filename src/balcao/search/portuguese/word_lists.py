"""Reads short lists of words, each from a text file in this folder."""

from importlib.resources import files


def read_words(file: str) -> frozenset[str]:
    """Return the words of a list. Lines that start with `#` are comments."""
    lines = files(__package__).joinpath(file).read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
