"""Decisions on many candidates.

The person chooses and confirms, and the panel carries out the decision in the background.
"""
