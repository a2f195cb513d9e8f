"""HTTP on a real socket: the server's answers to requests as they appear on the wire."""
