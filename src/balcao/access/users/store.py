"""SQL of the people that the catalogue knows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from balcao.access.records import Role
from balcao.access.users.schemas import User
from balcao.core.database.pool import Connection
from balcao.core.database.queries import affected, fetch_count, fetch_page, page_sql
from balcao.core.values.cpf import Cpf

_MEMBERS = """
person.id, person.cpf, person.display_name,
ARRAY(
    SELECT grp.name FROM access.membership JOIN access.grp ON grp.id = group_id
    WHERE person_id = person.id ORDER BY grp.name COLLATE "C") AS groups,
ARRAY(
    SELECT role.name FROM access.role
    WHERE role.name = ANY($1::text[])
       OR role.id IN (
           SELECT role_id FROM access.person_role WHERE person_id = person.id
           UNION
           SELECT role_id FROM access.group_role JOIN access.membership USING (group_id) WHERE person_id = person.id)
    ORDER BY role.name COLLATE "C") AS roles
"""
_READ = f"SELECT {_MEMBERS} FROM access.person WHERE cpf = $2"


async def read(connection: Connection, cpf: Cpf, token_roles: Iterable[str] = ()) -> User | None:
    """Return the person with the stored roles and those of the token that the catalogue knows, or None."""
    row = await connection.fetchrow(_READ, list(token_roles), cpf.digits)
    return User(**row) if row else None


# Entered to the day, so that who comes often costs no write.
_READ_OWN = f"""
WITH seen AS (
    UPDATE access.person SET seen_at = now() WHERE cpf = $2 AND seen_at < now() - interval '1 day')
{_READ}
"""


async def read_own(connection: Connection, cpf: Cpf, token_roles: Iterable[str]) -> User | None:
    """Return the person as `read` does, and note that they came."""
    row = await connection.fetchrow(_READ_OWN, list(token_roles), cpf.digits)
    return User(**row) if row else None


_COUNT = "SELECT count(*) FROM access.person"
_FORGET = """
DELETE FROM access.person
WHERE seen_at <= now() - $1::interval
  AND NOT EXISTS (SELECT FROM access.membership WHERE person_id = person.id)
  AND NOT EXISTS (SELECT FROM access.person_role WHERE person_id = person.id)
RETURNING true
"""


async def forget(connection: Connection, age: timedelta) -> tuple[int, int]:
    """Delete who holds nothing and was not seen for so long; return how many people there were and how many went."""
    checked = await fetch_count(connection, _COUNT)
    return checked, len(await connection.fetch(_FORGET, age))


_WANTED = "NOT $2::boolean OR EXISTS (SELECT FROM access.membership WHERE person_id = person.id)"
# The page is cut before groups and roles are looked up.
_LIST = page_sql(
    f"""
    SELECT {_MEMBERS}
    FROM (SELECT * FROM access.person WHERE {_WANTED} ORDER BY id LIMIT $3 OFFSET $4) AS person
    ORDER BY person.id
    """,
    f"SELECT count(*) FROM access.person WHERE {_WANTED}",
)


async def fetch_users(
    connection: Connection, *, has_groups: bool, limit: int, skip: int
) -> tuple[list[dict[str, Any]], int]:
    """Return the page's people by id, and how many there are."""
    return await fetch_page(connection, _LIST, [], has_groups, limit, skip)


_SAVE = """
INSERT INTO access.person (cpf, display_name) VALUES ($1, $2)
ON CONFLICT (cpf) DO UPDATE SET display_name = coalesce(excluded.display_name, person.display_name)
RETURNING id
"""


async def save(connection: Connection, cpf: Cpf, display_name: str | None = None) -> int:
    """Enter the person, or the name of a known one where there is one to enter; return the id."""
    saved: int = await connection.fetchval(_SAVE, cpf.digits, display_name)
    return saved


@dataclass(frozen=True)
class FoundPerson:
    """`groups` and `roles` are names: the groups of the person, and the roles that they have directly."""

    id: int
    groups: list[str]
    roles: list[str]


_FIND = """
SELECT id,
       ARRAY(
           SELECT grp.name FROM access.membership JOIN access.grp ON grp.id = group_id
           WHERE person_id = person.id ORDER BY grp.name COLLATE "C") AS groups,
       ARRAY(
           SELECT role.name FROM access.person_role JOIN access.role ON role.id = role_id
           WHERE person_id = person.id ORDER BY role.name COLLATE "C") AS roles
FROM access.person
WHERE cpf = $1
"""


async def find(connection: Connection, cpf: Cpf) -> FoundPerson | None:
    row = await connection.fetchrow(_FIND, cpf.digits)
    return FoundPerson(**row) if row else None


_DIRECT_ROLES = """
SELECT role.id, role.name, role.description, role.created_by,
       CASE role.origin WHEN 'custom' THEN role.created_at END AS created_at
FROM access.person_role
JOIN access.role ON role.id = role_id
WHERE person_id = $1
ORDER BY role.name COLLATE "C"
"""


async def fetch_direct_roles(connection: Connection, person_id: int) -> list[Role]:
    """Return the roles that the person has directly, by name."""
    return [Role(**row) for row in await connection.fetch(_DIRECT_ROLES, person_id)]


_ROLE_NAMED = "SELECT id FROM access.role WHERE name = $1"


async def find_role_id(connection: Connection, name: str) -> int | None:
    found: int | None = await connection.fetchval(_ROLE_NAMED, name)
    return found


_ASSIGN = """
INSERT INTO access.person_role (person_id, role_id, granted_by) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def assign(connection: Connection, person_id: int, role_id: int, granted_by: str | None) -> bool:
    """Return false when the person has the role directly already."""
    return bool(await connection.fetchval(_ASSIGN, person_id, role_id, granted_by))


_REMOVE = "DELETE FROM access.person_role WHERE person_id = $1 AND role_id = $2"


async def remove_role(connection: Connection, person_id: int, role_id: int) -> bool:
    """Return false when the person did not have the role directly."""
    return affected(await connection.execute(_REMOVE, person_id, role_id)) > 0


_REMOVE_BEYOND = """
DELETE FROM access.person_role USING access.person
WHERE role_id = $1 AND person.id = person_id
  AND person_id IN (SELECT person_id FROM access.person_role WHERE role_id = $1 ORDER BY person_id OFFSET $2 LIMIT $2)
RETURNING person_id, cpf
"""


async def remove_beyond(connection: Connection, role_id: int, kept: int) -> list[tuple[int, str]]:
    """Take a direct role from as many people as keep it, of those beyond so many; return their ids and numbers."""
    return [(row["person_id"], row["cpf"]) for row in await connection.fetch(_REMOVE_BEYOND, role_id, kept)]


_DELETE = "DELETE FROM access.person WHERE id = $1"


async def delete(connection: Connection, person_id: int) -> None:
    """Delete a person who has no group and no role."""
    await connection.execute(_DELETE, person_id)
