"""What an event writes: a function of the event alone (rules: registry 4.2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from balcao.registry.mirror.fields import ADDRESS, ADDRESS_PARTS, CONSENTS, LANGUAGES, TEXT_KEYS, TOURIST, address_field

Value = str | bool | list[str] | None


@dataclass(frozen=True)
class Consent:
    """One (categoria, canal) as a whole; both are "" when the CRM leaves them out."""

    categoria: str
    canal: str
    status: str
    acao: str | None = None
    data: str | None = None
    finalidade: str | None = None
    motivo: str | None = None


@dataclass(frozen=True)
class Writes:
    """All of one event's writes; every one has the event's time."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    consents: Sequence[Consent] = ()
    clears_consents: bool = False

    def __bool__(self) -> bool:
        return bool(self.fields or self.consents or self.clears_consents)


@dataclass(frozen=True)
class OwnWrite:
    """What a citizen, or staff on their behalf, changes.

    `beside` names further fields that show in the same member. `wording` is what was typed where the CRM's form is
    poorer, `wire` what the field holds for it; with `wording_kind` and no wording, the one that is stored goes.
    """

    values: Mapping[str, Value]
    beside: Sequence[str] = ()
    wording_kind: str | None = None
    wording: Mapping[str, Any] | None = None
    wire: str | None = None

    @property
    def concerned(self) -> list[str]:
        """Return all fields that show in the member: the write is later than what any of them holds."""
        return [*self.values, *self.beside]

    @property
    def removes_wording(self) -> bool:
        return self.wording_kind is not None and self.wording is None


def parse_delta(dados: Mapping[str, Any]) -> Writes:
    """Read what an event writes.

    `dados` has known keys of right types, as the event parser lets it through (spec: webhook rule 2).
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
    """Null clears every part, the empty text empties every part, an object writes the parts it has."""
    for part in ADDRESS_PARTS:
        if isinstance(sent, Mapping):
            if part in sent:
                yield address_field(part), sent[part]
        else:
            yield address_field(part), sent


def _consents(entries: Sequence[Mapping[str, str | None]]) -> list[Consent]:
    """Of equal keys in one event the last counts."""
    by_key: dict[tuple[str, str], Consent] = {}
    for entry in entries:
        consent = _consent(entry)
        by_key[consent.categoria, consent.canal] = consent
    return list(by_key.values())


def _consent(entry: Mapping[str, str | None]) -> Consent:
    """`acao` is the legacy word for `status`."""
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
