"""What the webhook accepts, checked in that order (rules: registry 4.1 rows 5-12)."""

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
    CONSENT_TEXTS,
    CONSENTS,
    LANGUAGES,
    TEXT_KEYS,
    TOURIST,
)

BODY_LIMIT = 131_072
DADOS_LIMIT = 65_536
UPDATED_AT_LIMIT = 64

Evento = Literal["atualizacao", "anonimizacao"]
_BREAKS = str.maketrans("\r\n\t", "   ")


@dataclass(frozen=True)
class Event:
    """An event as it came in. `at` is None when the CRM sent no time; `dados` holds known keys only."""

    cpf: Cpf
    evento: Evento
    at: datetime | None
    dados: Mapping[str, Any] | None
    dados_sha256: bytes


class _Raw(msgspec.Struct):
    dados: msgspec.Raw = msgspec.Raw(b"")


def parse(body: bytes) -> Event:
    """Raises Invalid naming the key at fault, never its value."""
    sent = decoding.parse_object(body)
    cpf = _cpf(sent.get("cpf"))
    evento = _evento(sent.get("evento"))
    at = _updated_at(sent.get("updatedAt"))
    if evento == "anonimizacao":
        return Event(cpf, evento, at, None, hashlib.sha256(b"").digest())
    raw = bytes(msgspec.json.decode(body, type=_Raw).dados)
    dados = _dados(sent.get("dados"), len(raw))
    return Event(cpf, evento, at, dados, hashlib.sha256(raw).digest())


def _cpf(value: object) -> Cpf:
    cpf = Cpf.parse(value.strip()) if isinstance(value, str) else None
    if cpf is None:
        raise Invalid("O campo `cpf` é obrigatório: um CPF válido, só com os 11 dígitos.", code="cpf-invalid")
    return cpf


def _evento(value: object) -> Evento:
    """Compared letter by letter: an erasure is never guessed."""
    if value is None or value == "atualizacao":
        return "atualizacao"
    if value == "anonimizacao":
        return "anonimizacao"
    raise Invalid("O campo `evento` deve ser `atualizacao` ou `anonimizacao`.", code="evento-invalid")


def _updated_at(value: object) -> datetime | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str):
        raise Invalid("O campo `updatedAt` deve ser texto, uma data com hora em ISO 8601.", code="updated-at-invalid")
    text = value.strip()
    if len(text.encode()) > UPDATED_AT_LIMIT:
        raise Invalid(f"O campo `updatedAt` passa de {UPDATED_AT_LIMIT} bytes.", code="updated-at-too-long")
    at = iso_time.parse(text)
    if at is None:
        raise Invalid("O campo `updatedAt` deve ser uma data com hora em ISO 8601.", code="updated-at-invalid")
    return at


def _dados(value: object, length: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid("O campo `dados` é obrigatório em `atualizacao`: um objeto.", code="dados-missing")
    if length > DADOS_LIMIT:
        raise Invalid(f"O campo `dados` passa de {DADOS_LIMIT} bytes.", code="dados-too-large")
    return {key: _CHECKS[key](key, content) for key, content in value.items() if key in _CHECKS}


def _wrong(key: str, wanted: str) -> Invalid:
    return Invalid(f"O campo `dados.{key}` deve ser {wanted}.", code="dados-invalid")


def _text(key: str, value: object) -> str | None:
    """NFC and trimmed; line breaks and tabs become one blank. The empty text is a value of its own."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise _wrong(key, "texto ou nulo")
    if stacks_marks(value):
        raise _wrong(key, "texto com poucos sinais sobre cada letra")
    text = unicodedata.normalize("NFC", value.translate(_BREAKS)).strip()
    if has_control(text):
        raise _wrong(key, "texto sem caracteres de controle")
    return text


def _languages(key: str, value: object) -> list[str | None] | str | None:
    if value is None or value == "":
        return value
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(key, "uma lista de textos ou nulo")
    return [_text(key, item) for item in value]


def _tourist(key: str, value: object) -> object:
    if value is None or value == "" or isinstance(value, bool):
        return value
    raise _wrong(key, "verdadeiro, falso ou nulo")


def _address(key: str, value: object) -> dict[str, str | None] | str | None:
    if value is None or value == "":
        return value
    if not isinstance(value, dict):
        raise _wrong(key, "um objeto ou nulo")
    return {part: _text(f"{key}.{part}", value[part]) for part in ADDRESS_PARTS if part in value}


def _consents(key: str, value: object) -> list[dict[str, str | None]] | str | None:
    if value is None or value == "":
        return value
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise _wrong(key, "uma lista de objetos ou nulo")
    return [_consent(f"{key}[{number}]", entry) for number, entry in enumerate(value)]


def _consent(place: str, entry: Mapping[str, object]) -> dict[str, str | None]:
    consent = {name: _text(f"{place}.{name}", entry[name]) for name in CONSENT_TEXTS if name in entry}
    said = [
        _choice(place, consent, "status", {"in": "IN", "out": "OUT"}),
        _choice(place, consent, "acao", {"optin": "IN", "optout": "OUT"}),
    ]
    given = {choice for choice in said if choice}
    if not given:
        raise _wrong(f"{place}.status", "`IN` ou `OUT` (ou `acao`, `optin` ou `optout`)")
    if len(given) == 2:
        raise _wrong(f"{place}.status", "o mesmo que `acao`")
    if "OUT" in given and not consent.get("motivo"):
        raise _wrong(f"{place}.motivo", "preenchido quando o consentimento é retirado")
    return consent


def _choice(place: str, consent: Mapping[str, str | None], name: str, allowed: Mapping[str, str]) -> str | None:
    word = consent.get(name)
    if not word:
        return None
    if word.lower() not in allowed:
        raise _wrong(f"{place}.{name}", " ou ".join(f"`{choice}`" for choice in allowed))
    return allowed[word.lower()]


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(TEXT_KEYS, _text),
    LANGUAGES: _languages,
    TOURIST: _tourist,
    ADDRESS: _address,
    CONSENTS: _consents,
}
