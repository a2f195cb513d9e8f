"""The departments of staff as personal data: the city's own organisation, which nobody erases here."""

from collections.abc import Sequence

from balcao.core.audit.personal_data import Kept, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.city.staff_departments import store

BASIS = "Vínculo funcional com a prefeitura."


async def retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    """Return how many links stay, and why."""
    return [Kept("staff_departments", await store.count_staff_mappings(connection, cpf), BASIS)]


PERSONAL_DATA = PersonalData("staff_departments", retain=retain, tables=("registry.staff_department",))
