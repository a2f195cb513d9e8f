"""The health units: which unit is open, where it is, and what changes there today."""
