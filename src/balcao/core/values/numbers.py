"""Whole numbers in query parameters."""

from balcao.core.errors import Invalid


def parse_whole_number(name: str, text: str | None, least: int, most: int, *, default: int) -> int:
    """Parse a query parameter that consists of ASCII digits.

    Raises Invalid with the name of the parameter unless it is a number from `least` to `most`.
    """
    if text is None:
        return default
    fits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not fits or not least <= int(text) <= most:
        raise Invalid(f"O parâmetro `{name}` deve ser um número inteiro de {least} a {most}.", code=f"{name}-invalid")
    return int(text)
