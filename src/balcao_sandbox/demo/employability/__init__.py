"""The demo data of employability."""
