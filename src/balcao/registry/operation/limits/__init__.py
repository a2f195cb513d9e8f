"""Rate limits for calls, as configured and as changed while the platform is running."""
