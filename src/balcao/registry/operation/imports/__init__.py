"""The progress of imports of the city's files."""
