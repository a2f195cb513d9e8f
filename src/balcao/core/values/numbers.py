"""Whole numbers as callers write them."""

from balcao.core.errors import Invalid


def parse_whole_number(name: str, text: str | None, least: int, most: int, *, default: int) -> int:
    """Return a query parameter in ASCII digits as a number. Raises Invalid naming the parameter."""
    if text is None:
        return default
    fits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not fits or not least <= int(text) <= most:
        raise Invalid(f"O parâmetro `{name}` deve ser um número inteiro de {least} a {most}.", code=f"{name}-invalid")
    return int(text)
