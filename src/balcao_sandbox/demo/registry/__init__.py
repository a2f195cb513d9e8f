"""The demo data of the citizen registry."""

# The maximum number of invented citizens. The CPF of the next citizen would consist of eleven equal digits, which is
# invalid.
MOST_CITIZENS = 99_999_998
