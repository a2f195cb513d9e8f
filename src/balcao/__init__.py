"""Balcão, a platform for municipal citizen services: seven HTTP/JSON services behind one gateway."""

__version__ = "1.0.0"
