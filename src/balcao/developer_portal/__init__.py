"""The start page of the platform for its users and developers: `/docs` and the guides below it."""
