"""The phone book as personal data: bindings go with an anonymisation, the proof of consent stays."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, Kept, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger.personal_data import BASIS
from balcao.registry.person.phone_book import store
from balcao.registry.person.phone_book.schemas import ExportedPhone, ExportedPhoneEntry


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {
        "telefones": await store.list_bound_phones(connection, cpf),
        "historico_telefones": await store.list_phone_entries(connection, cpf),
    }


async def _erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    return [Cleared("phone_book", await store.unbind_covered_phones(connection, cpf, at), ["number", "cpf"])]


async def _retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("phone_book_entries", len(await store.list_phone_entries(connection, cpf)), BASIS)]


PERSONAL_DATA = PersonalData(
    "phone_book",
    _export,
    _erase,
    _retain,
    by_event=True,
    tables=("registry.phone_book", "registry.phone_book_entry"),
    members=(
        ExportMember(
            "telefones", list[ExportedPhone], "Telefones ligados ao cidadão, e se ele aceita mensagens neles.", 52
        ),
        ExportMember(
            "historico_telefones",
            list[ExportedPhoneEntry],
            "O que se disse por esses telefones: aceites, recusas, quarentenas.",
            54,
        ),
    ),
)


async def _sweep_quarantines(_: Call, connection: Connection) -> Swept:
    checked = await store.count_quarantined_phones(connection)
    return Swept(checked, await store.delete_ended_quarantines(connection))


async def _sweep_unproven(_: Call, connection: Connection) -> Swept:
    checked = await store.count_unproven_phones(connection)
    return Swept(checked, await store.delete_lapsed_phones(connection))


async def _sweep_entries(_: Call, connection: Connection) -> Swept:
    checked = await store.count_phone_entries(connection)
    return Swept(checked, await store.delete_old_phone_entries(connection))


RETENTION = [
    Retention("phone_quarantine", _sweep_quarantines),
    Retention("phone_unproven", _sweep_unproven),
    Retention("phone_book_entry", _sweep_entries),
]
