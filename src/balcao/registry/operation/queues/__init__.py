"""Counts of queued jobs by kind, and the schedule of recurring jobs."""
