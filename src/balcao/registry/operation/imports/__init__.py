"""How far the imports of the city's files are."""
