"""Balcão: municipal citizen services, seven HTTP/JSON services behind one gateway."""

from importlib.metadata import version

__version__ = version("balcao")
