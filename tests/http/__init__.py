"""Tests for the HTTP server on real sockets, down to the bytes of its responses."""
