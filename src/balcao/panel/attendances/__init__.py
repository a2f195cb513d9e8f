"""Whom somebody serves at the moment, and why: nothing of a person is read before both are known."""
