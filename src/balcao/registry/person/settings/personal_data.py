"""The settings as personal data: whether somebody has been here says nothing that would have to go."""

from collections.abc import Sequence

from balcao.core.audit.personal_data import Kept, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.settings import store

BASIS = "Funcionamento do portal: só indica se houve um primeiro acesso."


async def _retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("settings", await store.count_settings(connection, cpf), BASIS)]


PERSONAL_DATA = PersonalData("settings", retain=_retain, tables=("registry.settings",))
