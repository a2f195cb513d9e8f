"""Derive the events that the CRM would have sent for a person if none had been lost (rules: registry 4.12)."""

from collections.abc import Iterator, Mapping, Set
from datetime import timedelta
from typing import Any

from balcao.core.values.clock import format_rfc3339
from balcao.crm.changes import Person
from balcao.registry.crm import iso_time
from balcao.registry.mirror.fields import CONSENTS

Body = Mapping[str, Any]
_INSTANT = timedelta(microseconds=1)


def list_missed_events(person: Person, consented: Set[tuple[str, str]]) -> Iterator[Body]:
    """Yield webhook bodies, each with the time of its change in the CRM.

    `consented` contains the category and channel of the mirror's current consents.
    """
    cpf = person.cpf.digits
    for moment in person.anonymised:
        yield {"cpf": cpf, "evento": "anonimizacao", "updatedAt": moment}
    # The CRM may have deleted consents that the mirror still has. An event cannot delete a single consent, so clear all
    # consents and add the listed ones again.
    listed = {(consent.entry.get("categoria", ""), consent.entry.get("canal", "")) for consent in person.consents}
    deleted = not listed >= consented
    if person.dados is not None:
        dados = {**person.dados, **({CONSENTS: None} if deleted else {})}
        yield {"cpf": cpf, "updatedAt": person.changed, "dados": dados}
    for consent in person.consents:
        moment = _after_clearing(person, consent.changed) if deleted else consent.changed
        yield {"cpf": cpf, "updatedAt": moment, "dados": {CONSENTS: [consent.entry]}}


def _after_clearing(person: Person, changed: str) -> str:
    """Return the time for a consent's event.

    This time must be later than the time of the event that clears all consents, which is the account's time.
    """
    cleared, moment = iso_time.parse_iso_time(person.changed), iso_time.parse_iso_time(changed)
    if cleared is None or moment is None:
        return changed  # the event parser rejects an invalid time
    return format_rfc3339(max(moment, cleared + _INSTANT))
