"""Cleans each kind of member and checks its limits (rules: search 3.1). Every error names the member."""

from typing import Any

import msgspec

from balcao.core.errors import Invalid
from balcao.core.values.addresses import is_link
from balcao.core.values.text import clean_text, has_control
from balcao.search.document import AgentSettings, Button
from balcao.search.services.markup import refuse_active

LONGEST_TEXT = 20_000
LARGEST_EXTRA = 32 * 1024
DEEPEST_EXTRA = 5
LONGEST_URL = 2048


def clean_prose(
    name: str, value: str, *, shortest: int = 0, longest: int = LONGEST_TEXT, one_line: bool = False
) -> str:
    """Trim the text and normalize it to NFC. Raises Invalid for forbidden markup and a wrong length."""
    refuse_active(name, value)
    return clean_text(name, value, shortest=shortest, longest=longest, one_line=one_line)


def clean_optional_text(name: str, value: str) -> str | None:
    """Clean a single line of at most 200 characters. Return None if it is empty. Raises Invalid for a bad line."""
    return clean_prose(name, value, longest=200, one_line=True) or None


def clean_texts(name: str, value: list[str], *, most: int = 100, longest: int = LONGEST_TEXT) -> list[str]:
    """Clean the strings and remove empty ones. Raises Invalid for a bad string or too many strings."""
    items = [item for item in (clean_prose(name, entry, longest=longest) for entry in value) if item]
    if len(items) > most:
        raise Invalid(f"O campo `{name}` deve ter no máximo {most} itens.", code=f"{name}-count")
    return items


def keep_flag(_: str, value: bool) -> bool:
    """Return the flag unchanged."""
    return value


def check_instant(name: str, value: int) -> int:
    """Return a time in Unix seconds. Raises Invalid if it is before 1970."""
    if value < 0:
        raise Invalid(f"O campo `{name}` deve ser um instante em segundos.", code=f"{name}-range")
    return value


def check_status(name: str, value: int) -> int:
    """Return 0 (in edition) or 1 (published). Raises Invalid for other numbers."""
    if value not in (0, 1):
        raise Invalid(f"O campo `{name}` deve ser 0 ou 1.", code=f"{name}-range")
    return value


def clean_agents(name: str, value: AgentSettings) -> AgentSettings:
    """Clean the hint for agents in the settings. Raises Invalid for a bad hint."""
    return msgspec.structs.replace(value, tool_hint=clean_prose(f"{name}.tool_hint", value.tool_hint, longest=2000))


def check_extra(name: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return the extra fields unchanged.

    Raises Invalid if they are too large or too deep, or contain forbidden markup or control characters.
    """
    encoded = msgspec.json.encode(value)
    if len(encoded) > LARGEST_EXTRA or _measure_depth(value) > DEEPEST_EXTRA:
        limits = f"{LARGEST_EXTRA // 1024} KiB e {DEEPEST_EXTRA} níveis"
        raise Invalid(f"O campo `{name}` deve ter no máximo {limits}.", code=f"{name}-size")
    for words in _list_strings(value):
        refuse_active(name, words)
        if has_control(words, allowed="\n\t\r"):
            raise Invalid(f"O campo `{name}` contém caracteres de controle.", code=f"{name}-control")
    return value


def _measure_depth(value: Any) -> int:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if children is None else 1 + max(map(_measure_depth, children), default=0)


def _list_strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [words for part in parts for words in _list_strings(part)]


def clean_buttons(name: str, value: list[Button]) -> list[Button]:
    """Clean the buttons and number those without a position. Raises Invalid for a bad button or more than 20."""
    if len(value) > 20:
        raise Invalid(f"O campo `{name}` deve ter no máximo 20 itens.", code=f"{name}-count")
    return [_clean_button(f"{name}[{index}]", button, index) for index, button in enumerate(value)]


def _clean_button(name: str, button: Button, index: int) -> Button:
    return Button(
        titulo=clean_prose(f"{name}.titulo", button.titulo, shortest=1, longest=200, one_line=True),
        descricao=clean_prose(f"{name}.descricao", button.descricao, longest=1000),
        is_enabled=button.is_enabled,
        ordem=index + 1 if button.ordem is None else button.ordem,
        url_service=_clean_url(f"{name}.url_service", button.url_service),
    )


def _clean_url(name: str, value: str) -> str:
    """Return the address. Raises Invalid if a page may not link to this address."""
    address = clean_prose(name, value, longest=LONGEST_URL)
    if not is_link(address):
        text = f"O campo `{name}` deve ser um endereço completo (https, http, mailto ou tel), sem usuário nem aspas."
        raise Invalid(text, code="url-invalid")
    return address
