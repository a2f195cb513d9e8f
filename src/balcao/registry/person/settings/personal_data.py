"""A person's settings, told to their rights: whether they have been here says nothing that would have to go."""

from collections.abc import Sequence

from balcao.core.audit.personal_data import Holding, Kept, nothing
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf

BASIS = "Funcionamento do portal: só indica se houve um primeiro acesso."
_COUNT = "SELECT count(*) FROM registry.settings WHERE cpf = $1"


async def _kept(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("settings", await connection.fetchval(_COUNT, cpf.digits), BASIS)]


HOLDING = Holding("settings", nothing, kept=_kept, tables=("registry.settings",))
