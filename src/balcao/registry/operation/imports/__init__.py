"""The progress of the imports of the city's files."""
