"""The trial: embedded servers, demo people and their data, and the commands that show them; never in production."""
