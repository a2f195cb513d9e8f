"""Decisions on many candidates: chosen, confirmed, and carried out in parts in the background."""
