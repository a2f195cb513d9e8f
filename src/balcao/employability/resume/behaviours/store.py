"""SQL of the links between resumes and the catalogue of behaviours."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
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


_COUNT_KNOWN = "SELECT count(*) FROM employability.behaviour WHERE id = ANY ($1::bigint[])"


async def count_known(connection: Connection, behaviours: Sequence[int]) -> int:
    """Return how many of these are in the catalogue."""
    return await fetch_count(connection, _COUNT_KNOWN, behaviours)


_INSERT = """
INSERT INTO employability.behaviour_link (cpf, id_comportamento_atitudes) SELECT $1, unnest($2::bigint[])
ON CONFLICT (cpf, id_comportamento_atitudes) DO NOTHING
"""


async def insert(connection: Connection, cpf: Cpf, behaviours: Sequence[int]) -> None:
    """Link a person to these entries; links that are there stay as they are."""
    await connection.execute(_INSERT, cpf.digits, behaviours)


_DELETE_OTHERS = "DELETE FROM employability.behaviour_link WHERE cpf = $1 AND id_comportamento_atitudes <> ALL ($2)"


async def delete_others(connection: Connection, cpf: Cpf, behaviours: Sequence[int]) -> None:
    """Delete a person's links to all other entries."""
    await connection.execute(_DELETE_OTHERS, cpf.digits, behaviours)


_DELETE = "DELETE FROM employability.behaviour_link WHERE id = $1 AND cpf = $2 RETURNING id"


async def delete(connection: Connection, cpf: Cpf, link: int) -> bool:
    """Return whether this citizen had such a link."""
    return await connection.fetchval(_DELETE, link, cpf.digits) is not None


def _to_link(row: Row) -> BehaviourLink:
    entry = Behaviour(row["behaviour_id"], row["nome"], row["behaviour_created_at"], row["behaviour_updated_at"])
    return BehaviourLink(row["id"], row["cpf"], entry.id, entry, row["created_at"], row["updated_at"])
