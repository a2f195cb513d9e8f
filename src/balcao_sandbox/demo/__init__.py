"""The demo data of all services, which call their use cases from above."""
