"""The departments of staff, told to the rights of a person: the city's own organisation, which nobody erases here."""

from collections.abc import Sequence

from balcao.core.audit.personal_data import Holding, Kept, nothing
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf

BASIS = "Vínculo funcional com a prefeitura."
_COUNT = "SELECT count(*) FROM registry.staff_department WHERE cpf = $1"


async def _kept(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("staff_departments", await connection.fetchval(_COUNT, cpf.digits), BASIS)]


HOLDING = Holding("staff_departments", nothing, kept=_kept, tables=("registry.staff_department",))
