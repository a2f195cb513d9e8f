"""Minha página: the pages on which citizens see and change what is theirs, after a login."""
