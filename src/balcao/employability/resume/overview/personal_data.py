"""The resume as personal data: exported whole, erased whole."""

from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.overview import service
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.resume.profiles import service as profiles


async def _read(connection: Connection, cpf: Cpf) -> Resume:
    resume, _ = await service.collect(connection, cpf)
    return resume


PERSONAL_DATA = PersonalData(
    "resume",
    [ExportMember("curriculo", Resume, "O currículo da pessoa, com todas as suas seções.", 200, _read)],
    erase_rows("resume", profiles.erase, Resume.__struct_fields__),
)
