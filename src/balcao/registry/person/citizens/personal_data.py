"""The base record as personal data: exported as imported, but for the mother's CPF; erased by nobody."""

from collections.abc import Mapping, Sequence
from typing import Any

from balcao.core.audit.personal_data import ExportMember, Kept, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import store
from balcao.registry.person.citizens.base import ExportedBaseRecord
from balcao.registry.person.citizens.merge import mask_mother

BASIS = "Cadastro legal da cidade: é corrigido na origem."


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    record = await store.read_base_record(connection, cpf)
    origin = await store.read_base_origin(connection, cpf)
    if record is None or origin is None:
        return {"registro_base": None}
    mother = {"mae": mask_mother(record["mae"])} if "mae" in record else {}
    return {"registro_base": {**record, **mother, **origin}}


async def _retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("base_record", int(await store.read_base_record(connection, cpf) is not None), BASIS)]


PERSONAL_DATA = PersonalData(
    "citizens",
    _export,
    retain=_retain,
    tables=("registry.base_record",),
    members=(
        ExportMember(
            "registro_base",
            ExportedBaseRecord | None,
            "O registro de base do cidadão, com a sua origem e o CPF da mãe mascarado; nulo sem ele.",
            10,
        ),
    ),
)
