"""What events a CRM would have sent of a person, had none of them been lost (rules: registry 4.12)."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from balcao.core.values.clock import format_rfc3339
from balcao.crm.changes import Person
from balcao.registry.crm import iso_time
from balcao.registry.mirror.fields import ADDRESS, CONSENTS, address_field
from balcao.registry.mirror.records import Standing
from balcao.registry.mirror.writes import Value

Body = Mapping[str, Any]
_INSTANT = timedelta(microseconds=1)


def list_events(person: Person, standing: Standing) -> Iterator[Body]:
    """Yield bodies of the webhook's form, each with the time of what it tells."""
    cpf = person.cpf.digits
    for moment in person.anonymised:
        yield {"cpf": cpf, "evento": "anonimizacao", "updatedAt": moment}
    deleted = _has_deleted_consents(person, standing)
    if person.dados is not None:
        dados = _leave_own(person.dados, standing.own) | ({CONSENTS: None} if deleted else {})
        yield {"cpf": cpf, "updatedAt": person.changed, "dados": dados}
    for consent in person.consents:
        moment = _after_clearing(person, consent.changed) if deleted else consent.changed
        yield {"cpf": cpf, "updatedAt": moment, "dados": {CONSENTS: [consent.entry]}}


def _has_deleted_consents(person: Person, standing: Standing) -> bool:
    """Return whether the mirror has consents that the CRM has no more: an event can only clear all of them."""
    listed = {(consent.entry.get("categoria", ""), consent.entry.get("canal", "")) for consent in person.consents}
    return not listed.issuperset(standing.consents)


def _after_clearing(person: Person, changed: str) -> str:
    """Return when a consent is to be told again, so that the clearing, which has the account's time, is before it."""
    cleared, moment = iso_time.parse(person.changed), iso_time.parse(changed)
    if cleared is None or moment is None:
        return changed  # which the event's parser refuses
    return format_rfc3339(max(moment, cleared + _INSTANT))


def _leave_own(dados: Mapping[str, Any], own: Mapping[str, Value]) -> dict[str, Any]:
    """Leave out what the person said themselves and the CRM has, too.

    It would become the CRM's word by being told again, though nobody there has said it; and what the person has
    explicitly removed, which the CRM has as null, would show the city's record again.
    """
    address = {part: value for part, value in dados[ADDRESS].items() if not _is_own(address_field(part), value, own)}
    others = {key: value for key, value in dados.items() if key != ADDRESS and not _is_own(key, value, own)}
    return others | {ADDRESS: address}


def _is_own(field: str, value: Value, own: Mapping[str, Value]) -> bool:
    return field in own and _as_sent(own[field]) == _as_sent(value)


def _as_sent(value: Value) -> Value:
    """Return the value as a push sends it: what is empty is null."""
    return None if value in ("", []) else value
