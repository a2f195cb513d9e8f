"""The trial: embedded servers, demo citizens and their data, and the commands that show them. Never in production."""
