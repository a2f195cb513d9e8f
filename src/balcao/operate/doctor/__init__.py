"""The checks of `balcao doctor`."""
