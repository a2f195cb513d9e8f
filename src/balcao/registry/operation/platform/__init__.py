"""The state of the platform's parts and processes, and the versions of the code and the schemas."""
