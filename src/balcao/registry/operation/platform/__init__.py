"""The state of the platform's parts, its processes, and the versions of code and schemas."""
