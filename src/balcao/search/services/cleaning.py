"""How each kind of member is cleaned and bounded (rules: search 3.1); every fault names the member."""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from balcao.core.errors import Invalid
from balcao.core.values.text import clean, has_control
from balcao.search.document import Agents, Button
from balcao.search.services.markup import refuse_active

LONGEST_TEXT = 20_000
LARGEST_EXTRA = 32 * 1024
DEEPEST_EXTRA = 5
LONGEST_URL = 2048
URL_SCHEMES = frozenset({"http", "https", "mailto", "tel"})


def text(name: str, value: str, *, shortest: int = 0, longest: int = LONGEST_TEXT, one_line: bool = False) -> str:
    refuse_active(name, value)
    return clean(name, value, shortest=shortest, longest=longest, one_line=one_line)


def optional_text(name: str, value: str) -> str | None:
    return text(name, value, longest=200, one_line=True) or None


def texts(name: str, value: list[str], *, most: int = 100, longest: int = LONGEST_TEXT) -> list[str]:
    items = [item for item in (text(name, entry, longest=longest) for entry in value) if item]
    if len(items) > most:
        raise Invalid(f"O campo `{name}` deve ter no máximo {most} itens.", code=f"{name}-count")
    return items


def as_sent(_: str, value: bool) -> bool:
    return value


def instant(name: str, value: int) -> int:
    if value < 0:
        raise Invalid(f"O campo `{name}` deve ser um instante em segundos.", code=f"{name}-range")
    return value


def status(name: str, value: int) -> int:
    if value not in (0, 1):
        raise Invalid(f"O campo `{name}` deve ser 0 ou 1.", code=f"{name}-range")
    return value


def agents(name: str, value: Agents) -> Agents:
    return msgspec.structs.replace(value, tool_hint=text(f"{name}.tool_hint", value.tool_hint, longest=2000))


def extra(name: str, value: dict[str, Any]) -> dict[str, Any]:
    encoded = msgspec.json.encode(value)
    if len(encoded) > LARGEST_EXTRA or _depth(value) > DEEPEST_EXTRA:
        limits = f"{LARGEST_EXTRA // 1024} KiB e {DEEPEST_EXTRA} níveis"
        raise Invalid(f"O campo `{name}` passa de {limits}.", code=f"{name}-size")
    for words in _strings(value):
        refuse_active(name, words)
        if has_control(words, allowed="\n\t\r"):
            raise Invalid(f"O campo `{name}` contém caracteres de controle.", code=f"{name}-control")
    return value


def _depth(value: Any) -> int:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if children is None else 1 + max(map(_depth, children), default=0)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return [words for part in parts for words in _strings(part)]


def buttons(name: str, value: list[Button]) -> list[Button]:
    if len(value) > 20:
        raise Invalid(f"O campo `{name}` deve ter no máximo 20 itens.", code=f"{name}-count")
    return [_button(f"{name}[{index}]", button, index) for index, button in enumerate(value)]


def _button(name: str, button: Button, index: int) -> Button:
    return Button(
        titulo=text(f"{name}.titulo", button.titulo, shortest=1, longest=200, one_line=True),
        descricao=text(f"{name}.descricao", button.descricao, longest=1000),
        is_enabled=button.is_enabled,
        ordem=index + 1 if button.ordem is None else button.ordem,
        url_service=_url(f"{name}.url_service", button.url_service),
    )


def _url(name: str, value: str) -> str:
    """An absolute address of a scheme that browsers do not execute."""
    address = clean(name, value, longest=LONGEST_URL)
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    target = parts.netloc if parts.scheme in {"http", "https"} else parts.path
    if parts.scheme not in URL_SCHEMES or not target or " " in address:
        text = f"O campo `{name}` deve ser um endereço completo (https, http, mailto ou tel)."
        raise Invalid(text, code="url-invalid")
    return address
