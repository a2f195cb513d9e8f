"""HTTP on a real socket: what the server answers to requests as they stand on the wire."""
