"""Parse the body of a CRM webhook. The checks follow the order of the rules (rules: registry 4.1 rows 5-12)."""

import hashlib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from balcao.core.errors import Invalid
from balcao.core.http import decoding
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import has_control, stacks_marks
from balcao.registry.crm import iso_time
from balcao.registry.mirror.fields import (
    ADDRESS,
    ADDRESS_PARTS,
    CONSENT_KEYS,
    CONSENT_TEXTS,
    CONSENTS,
    LANGUAGES,
    PHONE_KEYS,
    TEXT_KEYS,
    TOURIST,
)

BODY_LIMIT = 131_072
DADOS_LIMIT = 65_536
UPDATED_AT_LIMIT = 64
# The longest text in the key of an index: the CRM's own limit for such fields. PostgreSQL rejects keys of more than
# about 2,700 bytes, so a longer text would fail every attempt of the event's job.
KEY_LENGTH = 255

Evento = Literal["atualizacao", "anonimizacao"]
_BREAKS = str.maketrans("\r\n\t", "   ")


@dataclass(frozen=True)
class Event:
    """A parsed event. `at` is None if the CRM sent no time. `dados` contains only known keys.

    `dados` is None for an `anonimizacao` event.
    """

    cpf: Cpf
    evento: Evento
    at: datetime | None
    dados: Mapping[str, Any] | None
    dados_sha256: bytes


class _Raw(msgspec.Struct):
    dados: msgspec.Raw = msgspec.Raw(b"")


def parse_event(body: bytes) -> Event:
    """Parse the body.

    Raises Invalid if it is not valid. The error message names the wrong key, but never contains its value.
    """
    sent = decoding.parse_object(body)
    cpf = _parse_cpf(sent.get("cpf"))
    evento = _parse_evento(sent.get("evento"))
    at = _parse_updated_at(sent.get("updatedAt"))
    if evento == "anonimizacao":
        return Event(cpf, evento, at, None, hashlib.sha256(b"").digest())
    # Hash the received bytes, because encoding the parsed object again could yield other bytes. Repeated events are
    # recognised by this hash.
    raw = bytes(msgspec.json.decode(decoding.strip_bom(body), type=_Raw).dados)
    dados = _parse_dados(sent.get("dados"), len(raw))
    return Event(cpf, evento, at, dados, hashlib.sha256(raw).digest())


def _parse_cpf(value: object) -> Cpf:
    cpf = Cpf.parse(value.strip()) if isinstance(value, str) else None
    if cpf is None:
        raise Invalid("O campo `cpf` é obrigatório: um CPF válido, só com os 11 dígitos.", code="cpf-invalid")
    return cpf


def _parse_evento(value: object) -> Evento:
    """Return the event's kind. Case matters: a misspelt kind must never be read as an erasure."""
    if value is None or value == "atualizacao":
        return "atualizacao"
    if value == "anonimizacao":
        return "anonimizacao"
    raise Invalid("O campo `evento` deve ser `atualizacao` ou `anonimizacao`.", code="evento-invalid")


def _parse_updated_at(value: object) -> datetime | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str):
        raise _updated_at_invalid()
    text = value.strip()
    if len(text.encode()) > UPDATED_AT_LIMIT:
        raise Invalid(f"O campo `updatedAt` passa de {UPDATED_AT_LIMIT} bytes.", code="updated-at-too-long")
    at = iso_time.parse_iso_time(text)
    if at is None:
        raise _updated_at_invalid()
    return at


def _updated_at_invalid() -> Invalid:
    text = "O campo `updatedAt` deve ser um texto com data e hora em ISO 8601, como `2026-07-01T10:00:00Z`, desde 1970."
    return Invalid(text, code="updated-at-invalid")


def _parse_dados(value: object, length: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid("O campo `dados` é obrigatório em `atualizacao`: um objeto.", code="dados-missing")
    if length > DADOS_LIMIT:
        raise Invalid(f"O campo `dados` passa de {DADOS_LIMIT} bytes.", code="dados-too-large")
    return {key: _PARSERS[key](key, content) for key, content in value.items() if key in _PARSERS}


def _fault(key: str, expected: str) -> Invalid:
    return Invalid(f"O campo `dados.{key}` deve ser {expected}.", code="dados-invalid")


def _parse_text(key: str, value: object) -> str | None:
    """Normalise the string to NFC, replace each line break and tab with a space, and trim it. Return None for null.

    The empty string is returned as it is, because it differs from null.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise _fault(key, "texto ou nulo")
    if stacks_marks(value):
        raise _fault(key, "texto com poucos sinais sobre cada letra")
    text = unicodedata.normalize("NFC", value.translate(_BREAKS)).strip()
    if has_control(text):
        raise _fault(key, "texto sem caracteres de controle")
    return text


def _parse_key_text(key: str, value: object) -> str | None:
    text = _parse_text(key, value)
    if text is not None and len(text) > KEY_LENGTH:
        raise _fault(key, f"texto de até {KEY_LENGTH} caracteres")
    return text


def _parse_languages(key: str, value: object) -> list[str | None] | str | None:
    if value is None or value == "":
        return value
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _fault(key, "uma lista de textos ou nulo")
    return [_parse_text(key, item) for item in value]


def _parse_tourist(key: str, value: object) -> object:
    if value is None or value == "" or isinstance(value, bool):
        return value
    raise _fault(key, "verdadeiro, falso ou nulo")


def _parse_address(key: str, value: object) -> dict[str, str | None] | str | None:
    if value is None or value == "":
        return value
    if not isinstance(value, dict):
        raise _fault(key, "um objeto ou nulo")
    return {part: _parse_text(f"{key}.{part}", value[part]) for part in ADDRESS_PARTS if part in value}


def _parse_consents(key: str, value: object) -> list[dict[str, str | None]] | str | None:
    if value is None or value == "":
        return value
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise _fault(key, "uma lista de objetos ou nulo")
    return [_parse_consent(f"{key}[{number}]", entry) for number, entry in enumerate(value)]


def _parse_consent(place: str, entry: Mapping[str, object]) -> dict[str, str | None]:
    consent = {
        name: (_parse_key_text if name in CONSENT_KEYS else _parse_text)(f"{place}.{name}", entry[name])
        for name in CONSENT_TEXTS
        if name in entry
    }
    choices = [
        _parse_choice(place, consent, "status", {"IN": "IN", "OUT": "OUT"}),
        _parse_choice(place, consent, "acao", {"optin": "IN", "optout": "OUT"}),
    ]
    given = {choice for choice in choices if choice}
    if not given:
        raise _fault(f"{place}.status", "`IN` ou `OUT` (ou `acao`, `optin` ou `optout`)")
    if len(given) == 2:
        raise _fault(f"{place}.status", "o mesmo que `acao`")
    if "OUT" in given and not consent.get("motivo"):
        raise _fault(f"{place}.motivo", "preenchido quando o consentimento é retirado")
    return consent


def _parse_choice(place: str, consent: Mapping[str, str | None], name: str, allowed: Mapping[str, str]) -> str | None:
    """Return the meaning of the member's value, ignoring case. Return None if it is missing or empty.

    Raises Invalid for any other value.
    """
    word = consent.get(name)
    if not word:
        return None
    for choice, meaning in allowed.items():
        if word.lower() == choice.lower():
            return meaning
    raise _fault(f"{place}.{name}", " ou ".join(f"`{choice}`" for choice in allowed))


_PARSERS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(TEXT_KEYS, _parse_text),
    **dict.fromkeys(PHONE_KEYS, _parse_key_text),
    LANGUAGES: _parse_languages,
    TOURIST: _parse_tourist,
    ADDRESS: _parse_address,
    CONSENTS: _parse_consents,
}
