"""How often callers may call: as configured, and as somebody changed it while the platform runs."""
