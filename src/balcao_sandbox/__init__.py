"""The trial: embedded servers, demo data and commands for trying the platform. Never used in production."""
