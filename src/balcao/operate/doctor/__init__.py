"""What `balcao doctor` looks at."""
