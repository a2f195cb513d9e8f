"""Attendances: a clerk attends a citizen for a stated reason, and cannot read personal data without one."""
