"""SQL for the people in the catalogue."""

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
    """Return the person with the stored roles and the roles in `token_roles` that exist, or None."""


# Update the time at most once a day, so that frequent calls need no write.
@statement(f"""
WITH seen AS (
    UPDATE access.person SET seen_at = now() WHERE cpf = :cpf AND seen_at < now() - interval '1 day')
{_READ}
""")
async def select_own_user(connection: Connection, cpf: Cpf, token_roles: Collection[str]) -> User | None:
    """Return the same row as `select_user`, and update the time of the person's most recent call."""


@statement("SELECT count(*) FROM access.person")
async def count_people(connection: Connection) -> int: ...


@statement("""
DELETE FROM access.person
WHERE seen_at <= now() - :age::interval
  AND NOT EXISTS (SELECT FROM access.membership WHERE person_id = person.id)
  AND NOT EXISTS (SELECT FROM access.person_role WHERE person_id = person.id)
""")
async def delete_unseen_people(connection: Connection, age: timedelta) -> int:
    """Delete people without groups and roles who have made no call for `age`. Return the number of deleted people."""


_WANTED = "NOT :has_groups::boolean OR EXISTS (SELECT FROM access.membership WHERE person_id = person.id)"


# The subquery selects the page first, so that groups and roles are read only for the people on the page.
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
    """Return a page of people, sorted by id, and the total number of people."""


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
    """Return a page of people found by name or CPF, sorted by id, and the total number found.

    The name must contain the words in this order, or the CPF must contain the digits.
    """


@statement(f"SELECT {_MEMBERS} FROM access.person WHERE id = :id_")
async def find_user(connection: Connection, id_: int, token_roles: Collection[str] = ()) -> User | None:
    """Return the person with the stored roles, or None. The id must be at most `MAX_INT64`."""


@statement("""
INSERT INTO access.person (cpf, display_name) VALUES (:cpf, :display_name)
ON CONFLICT (cpf) DO UPDATE SET display_name = coalesce(excluded.display_name, person.display_name)
RETURNING id
""")
async def save_person(connection: Connection, cpf: Cpf, display_name: str | None = None) -> int:
    """Insert the person or, if they exist and a name is given, update their name. Return the person's id."""


@dataclass(frozen=True)
class FoundPerson:
    """A person in the catalogue. `groups` and `roles` contain names; `roles` only the direct roles."""

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
    """Return the person's direct roles, sorted by name."""


@statement("""
INSERT INTO access.person_role (person_id, role_id, granted_by) VALUES (:person_id, :role_id, :granted_by)
ON CONFLICT DO NOTHING
RETURNING true
""")
async def assign_direct_role(connection: Connection, person_id: int, role_id: int, granted_by: str | None) -> bool:
    """Give the person the role. Return False if they already have it directly."""


@statement("DELETE FROM access.person_role WHERE person_id = :person_id AND role_id = :role_id")
async def remove_direct_role(connection: Connection, person_id: int, role_id: int) -> bool:
    """Remove the role from the person. Return False if they do not have it directly."""


@statement("""
DELETE FROM access.person_role USING access.person
WHERE role_id = :role_id AND person.id = person_id
  AND person_id IN (
      SELECT person_id FROM access.person_role WHERE role_id = :role_id ORDER BY person_id OFFSET :kept LIMIT :kept)
RETURNING person_id, cpf
""")
async def remove_direct_roles_beyond(connection: Connection, role_id: int, kept: int) -> list[tuple[int, Cpf]]:
    """Keep the role's first `kept` direct holders, and remove the role from at most `kept` others.

    Return the ids and CPFs of the people who lose the role.
    """


@statement("DELETE FROM access.person WHERE id = :person_id")
async def delete_person(connection: Connection, person_id: int) -> None:
    """Delete a person who has no groups and roles."""


EXPORTS = Exports(
    [Export("person", Rows("access.person", "to_jsonb(stored) - 'search_text'"))], tables=("access.person_role",)
)
OFFERED = (save_person,)
