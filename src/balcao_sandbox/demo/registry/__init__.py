"""The demo data of the citizen registry."""

# The next number would have a CPF with eleven equal digits.
MOST_CITIZENS = 99_999_998
