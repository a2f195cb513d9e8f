"""The demo data of the citizen registry."""

# The number after it would have a CPF of eleven equal digits.
MOST_CITIZENS = 99_999_998
