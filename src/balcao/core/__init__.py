"""What every service stands on; knows no service."""
