"""Statements for tables whose rows belong to the person in the column `cpf`."""

from collections.abc import Awaitable, Callable

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statements
from balcao.core.values.cpf import Cpf


def make_deletion(table: str) -> Callable[[Connection, Cpf], Awaitable[int]]:
    """Return a function that deletes a person's rows from the table and returns the number of deleted rows."""

    @statements({table: f"DELETE FROM {table} WHERE cpf = :cpf"})  # noqa: S608 - a name of our own
    async def delete_own_rows(connection: Connection, table: str, cpf: Cpf) -> int: ...

    return lambda connection, cpf: delete_own_rows(connection, table, cpf)
