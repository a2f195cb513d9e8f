"""Rate limits of calls, as configured and as changed while the platform runs."""
