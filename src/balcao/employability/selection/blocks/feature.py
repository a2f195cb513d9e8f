"""Refused attempts to apply."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.core.values.cpf import Cpf
from balcao.employability.selection.blocks import api, demo, store
from balcao.employability.selection.blocks.retention import RETENTION
from balcao.employability.selection.blocks.schemas import ExportedBlock


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"bloqueios": await store.export(connection, cpf)}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("application_blocks", await store.delete(connection, cpf), ["criterios_nao_atendidos"])]


PERSONAL_DATA = PersonalData(
    "application_blocks",
    _export,
    _erase,
    tables=("employability.application_block",),
    members=(
        ExportMember(
            "bloqueios", list[ExportedBlock], "As tentativas de candidatura que foram recusadas, e por quê.", 203
        ),
    ),
)
FEATURE = Feature(
    routes=api.routes.declared,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load),
    exports=Exports(tables=("employability.application_block",)),
)
