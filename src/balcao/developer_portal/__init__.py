"""The front of the platform for people and for those who build on it: `/docs` and the guides below it."""
