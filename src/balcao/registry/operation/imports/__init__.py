"""The progress of importing the city's files."""
