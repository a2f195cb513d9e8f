"""The resume as personal data: exported whole, erased whole."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.overview import service
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.resume.profiles import service as profiles

ERASED = list(Resume.__struct_fields__)


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    resume, _ = await service.collect(connection, cpf)
    return {"curriculo": msgspec.to_builtins(resume)}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("resume", await profiles.erase(connection, cpf), ERASED)]


PERSONAL_DATA = PersonalData(
    "resume",
    _export,
    _erase,
    members=(ExportMember("curriculo", Resume, "O currículo da pessoa, com todas as suas seções.", 200),),
)
