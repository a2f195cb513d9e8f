"""The base record as personal data. It is exported as imported, except for the mother's CPF, and never erased."""

from typing import Any

from balcao.core.audit.personal_data import ExportMember, PersonalData, retain_rows
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import store
from balcao.registry.person.citizens.base import ExportedBaseRecord
from balcao.registry.person.citizens.merge import mask_mother

BASIS = "Cadastro legal da cidade: é corrigido na origem."


async def _read(connection: Connection, cpf: Cpf) -> dict[str, Any] | None:
    record = await store.read_base_record(connection, cpf)
    origin = await store.read_base_origin(connection, cpf)
    if record is None or origin is None:
        return None
    mother = {"mae": mask_mother(record["mae"])} if "mae" in record else {}
    return {**record, **mother, **origin}


async def _count(connection: Connection, cpf: Cpf) -> int:
    return int(await store.read_base_record(connection, cpf) is not None)


PERSONAL_DATA = PersonalData(
    "citizens",
    [
        ExportMember(
            "registro_base",
            ExportedBaseRecord | None,
            "O registro de base do cidadão, com a sua origem e o CPF da mãe mascarado; nulo sem ele.",
            10,
            _read,
        )
    ],
    retain=retain_rows("base_record", _count, BASIS),
    tables=["registry.base_record"],
)
