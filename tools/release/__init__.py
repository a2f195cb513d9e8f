"""Build a release: its files, their components and licences, checksums and a signature."""
