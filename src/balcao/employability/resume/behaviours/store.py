"""SQL of the links between resumes and the catalogue of behaviours."""

from balcao.core.database.pool import Connection, Row
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.behaviours.schemas import Behaviour, BehaviourLink

_LIST = """
SELECT link.id, link.cpf, link.created_at, link.updated_at,
       behaviour.id AS behaviour_id, behaviour.nome,
       behaviour.created_at AS behaviour_created_at, behaviour.updated_at AS behaviour_updated_at
FROM employability.behaviour_link AS link
JOIN employability.behaviour ON behaviour.id = link.id_comportamento_atitudes
WHERE link.cpf = $1
ORDER BY link.created_at DESC, link.id DESC
"""


async def list_links(connection: Connection, cpf: Cpf) -> list[BehaviourLink]:
    """Return a person's links, newest first."""
    return [_to_link(row) for row in await connection.fetch(_LIST, cpf.digits)]


_EXISTS = "SELECT EXISTS (SELECT FROM employability.behaviour WHERE id = $1)"


async def is_known(connection: Connection, behaviour: int) -> bool:
    found: bool = await connection.fetchval(_EXISTS, behaviour)
    return found


_INSERT = "INSERT INTO employability.behaviour_link (cpf, id_comportamento_atitudes) VALUES ($1, $2)"


async def insert(connection: Connection, cpf: Cpf, behaviour: int) -> None:
    await connection.execute(_INSERT, cpf.digits, behaviour)


_DELETE = "DELETE FROM employability.behaviour_link WHERE id = $1 AND cpf = $2 RETURNING id"


async def delete(connection: Connection, cpf: Cpf, link: int) -> bool:
    """Return whether this citizen had such a link."""
    return await connection.fetchval(_DELETE, link, cpf.digits) is not None


def _to_link(row: Row) -> BehaviourLink:
    entry = Behaviour(row["behaviour_id"], row["nome"], row["behaviour_created_at"], row["behaviour_updated_at"])
    return BehaviourLink(row["id"], row["cpf"], entry.id, entry, row["created_at"], row["updated_at"])
