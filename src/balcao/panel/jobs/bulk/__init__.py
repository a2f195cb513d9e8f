"""Decisions on many candidates: chosen, confirmed, carried out in parts while their person does something else."""
