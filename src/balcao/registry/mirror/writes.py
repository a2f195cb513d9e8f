"""Parse a CRM event into writes. The result depends only on the event (rules: registry 4.2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from balcao.registry.mirror.fields import ADDRESS, ADDRESS_PARTS, CONSENTS, LANGUAGES, TEXT_KEYS, TOURIST, address_field

Value = str | bool | list[str] | None


@dataclass(frozen=True)
class Consent:
    """One consent, identified by `categoria` and `canal`. If the CRM omits one of these keys, its value is ""."""

    categoria: str
    canal: str
    status: str
    acao: str | None = None
    data: str | None = None
    finalidade: str | None = None
    motivo: str | None = None


@dataclass(frozen=True)
class Writes:
    """All writes that one CRM event causes. The time of each write is the time of the event."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    consents: Sequence[Consent] = ()
    clears_consents: bool = False

    def __bool__(self) -> bool:
        return bool(self.fields or self.consents or self.clears_consents)


@dataclass(frozen=True)
class OwnWrite:
    """A change by the citizen, or by staff on their behalf.

    `related_fields` lists the other fields that belong to the same member of the API. `wording` is the original text if
    the CRM's representation loses information, and `wire` is that representation. If only `wording_kind` is set, the
    stored wording is deleted.
    """

    values: Mapping[str, Value]
    related_fields: Sequence[str] = ()
    wording_kind: str | None = None
    wording: Mapping[str, Any] | None = None
    wire: str | None = None

    @property
    def affected_fields(self) -> list[str]:
        """All fields that belong to the same member of the API.

        The write's time is later than the time of each of them.
        """
        return [*self.values, *self.related_fields]

    @property
    def removes_wording(self) -> bool:
        return self.wording_kind is not None and self.wording is None


def parse_delta(dados: Mapping[str, Any]) -> Writes:
    """Return the writes of an event.

    The event parser has already checked the keys and types of `dados` (spec: webhook rule 2).
    """
    entries = dados.get(CONSENTS)
    return Writes(
        fields=dict(_read_fields(dados)),
        consents=_consents(entries or []),
        clears_consents=CONSENTS in dados and entries in (None, ""),
    )


def _read_fields(dados: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
    for key in TEXT_KEYS:
        if key in dados:
            yield key, dados[key]
    if LANGUAGES in dados:
        yield LANGUAGES, [] if dados[LANGUAGES] == "" else dados[LANGUAGES]
    if TOURIST in dados:
        yield TOURIST, None if dados[TOURIST] == "" else dados[TOURIST]
    if ADDRESS in dados:
        yield from _address(dados[ADDRESS])


def _address(sent: Mapping[str, str | None] | str | None) -> Iterator[tuple[str, Value]]:
    """Yield the address fields to write: the parts in an object, or every part if the whole address is null or ""."""
    for part in ADDRESS_PARTS:
        if isinstance(sent, Mapping):
            if part in sent:
                yield address_field(part), sent[part]
        else:
            yield address_field(part), sent


def _consents(entries: Sequence[Mapping[str, str | None]]) -> list[Consent]:
    """Return the event's consents. If an event repeats a category and channel, the last entry wins."""
    by_key: dict[tuple[str, str], Consent] = {}
    for entry in entries:
        consent = _consent(entry)
        by_key[consent.categoria, consent.canal] = consent
    return list(by_key.values())


def _consent(entry: Mapping[str, str | None]) -> Consent:
    """Parse one consent. Older CRM events send `acao` instead of `status`."""
    acao = entry.get("acao") or None
    status = (entry.get("status") or "").upper() or {"optin": "IN", "optout": "OUT"}[(acao or "").lower()]
    return Consent(
        categoria=entry.get("categoria") or "",
        canal=entry.get("canal") or "",
        status=status,
        acao=acao.lower() if acao else None,
        data=entry.get("data"),
        finalidade=entry.get("finalidade"),
        motivo=entry.get("motivo"),
    )
