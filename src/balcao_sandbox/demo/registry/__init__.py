"""The demo data of the citizen registry."""

# The number of invented citizens that are possible. With the next number, all eleven digits of the CPF would be equal,
# which is invalid.
MOST_CITIZENS = 99_999_998
