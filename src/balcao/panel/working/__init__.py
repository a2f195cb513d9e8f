"""Somebody at work on a form: who else is there, and what they typed, kept until it is sent."""
