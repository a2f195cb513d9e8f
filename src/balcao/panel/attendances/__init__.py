"""Attendances: a clerk attends a citizen for a stated reason. No personal data is read without citizen and reason."""
