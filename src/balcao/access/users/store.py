"""SQL of the people that the catalogue knows."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from balcao.access.records import Role
from balcao.access.users.schemas import User
from balcao.core.database.pool import Connection
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cpf import Cpf

_MEMBERS = """
person.id, person.cpf, person.display_name,
ARRAY(
    SELECT grp.name FROM access.membership JOIN access.grp ON grp.id = group_id
    WHERE person_id = person.id ORDER BY grp.name COLLATE "C") AS groups,
ARRAY(
    SELECT role.name FROM access.role
    WHERE role.name = ANY(:token_roles::text[])
       OR role.id IN (
           SELECT role_id FROM access.person_role WHERE person_id = person.id
           UNION
           SELECT role_id FROM access.group_role JOIN access.membership USING (group_id) WHERE person_id = person.id)
    ORDER BY role.name COLLATE "C") AS roles
"""
_READ = f"SELECT {_MEMBERS} FROM access.person WHERE cpf = :cpf"


@statement(_READ)
async def select_user(connection: Connection, cpf: Cpf, token_roles: Collection[str] = ()) -> User | None:
    """Return the person with the stored roles and those of the token that the catalogue knows, or None."""


# Entered to the day, so that who comes often costs no write.
@statement(f"""
WITH seen AS (
    UPDATE access.person SET seen_at = now() WHERE cpf = :cpf AND seen_at < now() - interval '1 day')
{_READ}
""")
async def select_own_user(connection: Connection, cpf: Cpf, token_roles: Collection[str]) -> User | None:
    """Return the person as `select_user` does, and note that they came."""


@statement("SELECT count(*) FROM access.person")
async def count_people(connection: Connection) -> int: ...


@statement("""
DELETE FROM access.person
WHERE seen_at <= now() - :age::interval
  AND NOT EXISTS (SELECT FROM access.membership WHERE person_id = person.id)
  AND NOT EXISTS (SELECT FROM access.person_role WHERE person_id = person.id)
""")
async def delete_unseen_people(connection: Connection, age: timedelta) -> int:
    """Delete who holds nothing and was not seen for so long; return how many went."""


_WANTED = "NOT :has_groups::boolean OR EXISTS (SELECT FROM access.membership WHERE person_id = person.id)"


# The page is cut before groups and roles are looked up.
@statement(
    page_sql(
        f"""
        SELECT {_MEMBERS}
        FROM (SELECT * FROM access.person WHERE {_WANTED} ORDER BY id LIMIT :limit OFFSET :skip) AS person
        ORDER BY person.id
        """,
        f"SELECT count(*) FROM access.person WHERE {_WANTED}",
    )
)
async def select_users(
    connection: Connection, *, has_groups: bool, limit: int, skip: int, token_roles: Collection[str] = ()
) -> Paged[User]:
    """Return the page's people by id."""


_FOUND = f"search_text LIKE access.having(:search) AND ({_WANTED})"


@statement(
    page_sql(
        f"""
        SELECT {_MEMBERS}
        FROM (SELECT * FROM access.person WHERE {_FOUND} ORDER BY id LIMIT :limit OFFSET :skip) AS person
        ORDER BY person.id
        """,
        f"SELECT count(*) FROM access.person WHERE {_FOUND}",
    )
)
async def search_users(
    connection: Connection, *, search: str, has_groups: bool, limit: int, skip: int, token_roles: Collection[str] = ()
) -> Paged[User]:
    """Return, by id, the page's people whose name has these words in this order, or whose number has these digits."""


@statement(f"SELECT {_MEMBERS} FROM access.person WHERE id = :id_")
async def find_user(connection: Connection, id_: int, token_roles: Collection[str] = ()) -> User | None:
    """Return the person with the stored roles; the id is at most `MAX_INT64`."""


@statement("""
INSERT INTO access.person (cpf, display_name) VALUES (:cpf, :display_name)
ON CONFLICT (cpf) DO UPDATE SET display_name = coalesce(excluded.display_name, person.display_name)
RETURNING id
""")
async def save_person(connection: Connection, cpf: Cpf, display_name: str | None = None) -> int:
    """Enter the person, or the name of a known one where there is one to enter; return the id."""


@dataclass(frozen=True)
class FoundPerson:
    """`groups` and `roles` are names: the groups of the person, and the roles that they have directly."""

    id: int
    groups: list[str]
    roles: list[str]


@statement("""
SELECT id,
       ARRAY(
           SELECT grp.name FROM access.membership JOIN access.grp ON grp.id = group_id
           WHERE person_id = person.id ORDER BY grp.name COLLATE "C") AS groups,
       ARRAY(
           SELECT role.name FROM access.person_role JOIN access.role ON role.id = role_id
           WHERE person_id = person.id ORDER BY role.name COLLATE "C") AS roles
FROM access.person
WHERE cpf = :cpf
""")
async def find_person(connection: Connection, cpf: Cpf) -> FoundPerson | None: ...


@statement("""
SELECT role.id, role.name, role.description, role.created_by,
       CASE role.origin WHEN 'custom' THEN role.created_at END AS created_at
FROM access.person_role
JOIN access.role ON role.id = role_id
WHERE person_id = :person_id
ORDER BY role.name COLLATE "C"
""")
async def select_direct_roles(connection: Connection, person_id: int) -> list[Role]:
    """Return the roles that the person has directly, by name."""


@statement("""
INSERT INTO access.person_role (person_id, role_id, granted_by) VALUES (:person_id, :role_id, :granted_by)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def assign_direct_role(connection: Connection, person_id: int, role_id: int, granted_by: str | None) -> bool:
    """Return false when the person has the role directly already."""


@statement("DELETE FROM access.person_role WHERE person_id = :person_id AND role_id = :role_id")
async def remove_direct_role(connection: Connection, person_id: int, role_id: int) -> bool:
    """Return false when the person did not have the role directly."""


@statement("""
DELETE FROM access.person_role USING access.person
WHERE role_id = :role_id AND person.id = person_id
  AND person_id IN (
      SELECT person_id FROM access.person_role WHERE role_id = :role_id ORDER BY person_id OFFSET :kept LIMIT :kept)
RETURNING person_id, cpf
""")
async def remove_direct_roles_beyond(connection: Connection, role_id: int, kept: int) -> list[tuple[int, Cpf]]:
    """Take a direct role from as many people as keep it, of those beyond so many; return their ids and numbers."""


@statement("DELETE FROM access.person WHERE id = :person_id")
async def delete_person(connection: Connection, person_id: int) -> None:
    """Delete a person who has no group and no role."""


EXPORTS = Exports(
    [Export("person", Rows("access.person", "to_jsonb(stored) - 'search_text'"))], tables=("access.person_role",)
)
OFFERED = (save_person,)
