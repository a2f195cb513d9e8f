"""Build a release: its files, components and licences, checksums and a signature."""
