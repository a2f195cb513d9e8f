"""The demo data of the citizen registry."""

# With the next number, all eleven digits of the CPF would be equal.
MOST_CITIZENS = 99_999_998
