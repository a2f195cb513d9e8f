"""The demo data of the employability service."""
