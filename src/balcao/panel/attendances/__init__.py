"""Attendances: a clerk attends a citizen for a stated reason.

No personal data is read without a citizen and a reason.
"""
