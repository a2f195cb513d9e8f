"""SQL of the links between resumes and the catalogue of behaviours."""

from collections.abc import Sequence

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.behaviours.schemas import BehaviourLink


@statement("""
SELECT link.id, link.cpf, link.created_at, link.updated_at,
       behaviour.id AS behaviour_id, behaviour.nome,
       behaviour.created_at AS behaviour_created_at, behaviour.updated_at AS behaviour_updated_at
FROM employability.behaviour_link AS link
JOIN employability.behaviour ON behaviour.id = link.id_comportamento_atitudes
WHERE link.cpf = :cpf
ORDER BY link.created_at DESC, link.id DESC
""")
async def list_behaviour_links(connection: Connection, cpf: Cpf) -> list[BehaviourLink]:
    """Return a person's links, newest first."""


@statement("SELECT count(*) FROM employability.behaviour WHERE id = ANY (:ids::bigint[])")
async def count_behaviours(connection: Connection, ids: Sequence[int]) -> int:
    """Return how many of these are in the catalogue."""


@statement("""
INSERT INTO employability.behaviour_link (cpf, id_comportamento_atitudes) SELECT :cpf, unnest(:behaviours::bigint[])
ON CONFLICT (cpf, id_comportamento_atitudes) DO NOTHING
""")
async def insert_behaviour_links(connection: Connection, cpf: Cpf, behaviours: Sequence[int]) -> None:
    """Link a person to these entries; links that are there stay as they are."""


@statement("""
DELETE FROM employability.behaviour_link WHERE cpf = :cpf AND id_comportamento_atitudes <> ALL (:behaviours)
""")
async def delete_other_behaviour_links(connection: Connection, cpf: Cpf, behaviours: Sequence[int]) -> None:
    """Delete a person's links to all other entries."""


@statement("DELETE FROM employability.behaviour_link WHERE id = :link AND cpf = :cpf")
async def delete_behaviour_link(connection: Connection, cpf: Cpf, link: int) -> bool:
    """Return whether this citizen had such a link."""
