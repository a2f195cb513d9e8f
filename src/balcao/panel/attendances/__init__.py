"""Attendances: which citizen a clerk attends, and why. No personal data are read before both are known."""
