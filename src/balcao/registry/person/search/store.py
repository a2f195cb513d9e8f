"""SQL for the search. Each statement returns at most `most` people and uses its own index."""

from datetime import timedelta

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import name_order_sql
from balcao.core.database.statements import statement
from balcao.registry.person.phone_book.states import UNPROVEN_LIFETIME


class Match(msgspec.Struct, frozen=True):
    """A found person. `name` is None if the city has not imported them."""

    cpf: str
    name: str | None


_BY_NAME = name_order_sql("name")
_NAME = "coalesce(nullif(record ->> 'nome_social', ''), record ->> 'nome')"


# MATERIALIZED stops PostgreSQL from scanning all people in the result's sort order to find the few that match.
#
# Every typed word must be a word of one of the two names, and the first typed word must be the first word of a name.
@statement(f"""
WITH found AS MATERIALIZED (
    SELECT cpf, {_NAME} AS name FROM registry.base_record
    WHERE left(record #>> '{{nascimento,data}}', 10) = :born
      AND (split_part(registry.folded(record ->> 'nome'), ' ', 1) = split_part(registry.folded(:words), ' ', 1)
        OR record ->> 'nome_social' <> ''
            AND split_part(registry.folded(record ->> 'nome_social'), ' ', 1)
                = split_part(registry.folded(:words), ' ', 1))
      AND string_to_array(registry.folded(concat_ws(' ', record ->> 'nome', record ->> 'nome_social')), ' ')
        @> string_to_array(registry.folded(:words), ' ')
)
SELECT cpf, name FROM found ORDER BY {_BY_NAME}, cpf LIMIT :most
""")
async def find_by_name(connection: Connection, words: str, born: str, most: int) -> list[Match]: ...


@statement(f"""
WITH found AS MATERIALIZED (
    SELECT cpf FROM registry.ticket WHERE id_chamado = :protocol
    UNION
    SELECT cpf FROM registry.request WHERE number = upper(:protocol) AND cpf <> ''
    LIMIT :most
)
SELECT cpf, name FROM (
    SELECT cpf, {_NAME} AS name FROM found LEFT JOIN registry.base_record USING (cpf)
) AS named ORDER BY {_BY_NAME}, cpf
""")
async def find_by_protocol(connection: Connection, protocol: str, most: int) -> list[Match]: ...


@statement(f"""
WITH found AS MATERIALIZED (
    SELECT cpf FROM registry.find_phone_people(:number, :lasting, :most) AS cpf LIMIT :most
)
SELECT cpf, name FROM (
    SELECT cpf, {_NAME} AS name FROM found LEFT JOIN registry.base_record USING (cpf)
) AS named ORDER BY {_BY_NAME}, cpf
""")
async def find_by_phone(
    connection: Connection, number: str, most: int, lasting: timedelta = UNPROVEN_LIFETIME
) -> list[Match]: ...
