"""The migration runner on a real database: numbered migrations run once, and files of functions after each change."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace

import asyncpg
import pytest

from balcao import app
from balcao.core.database import migrations
from balcao.core.database.migrations import Migration, MigrationError
from balcao.core.database.roles import ApplicationRole
from tests.support import databases

TABLE = Migration("pets", "0001_pets.sql", "CREATE SCHEMA pets; CREATE TABLE pets.pet (name text)")
NAME = "CREATE OR REPLACE FUNCTION pets.name() RETURNS text LANGUAGE sql AS $$ SELECT '{}' $$"
FUNCTION = Migration("pets", "functions/name.sql", NAME.format("Rex"))


@pytest.fixture
def empty() -> Iterator[str]:
    name = databases.new_name("runner")
    yield databases.create(name, "template1")
    databases.drop(name)


def migrate(url: str, *files: Migration) -> list[str]:
    """Migrate the database and return the names of the files that ran."""
    ran: list[str] = []
    asyncio.run(migrations.migrate(url, files, ApplicationRole(), lambda each: ran.append(each.name)))
    return ran


def ask(url: str, query: str) -> object:
    async def fetch() -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(query)
        finally:
            await connection.close()

    return asyncio.run(fetch())


def test_a_file_of_functions_runs_again_when_its_text_has_changed(empty: str) -> None:
    assert migrate(empty, TABLE, FUNCTION) == ["0001_pets.sql", "functions/name.sql"]
    assert migrate(empty, TABLE, FUNCTION) == []
    assert migrate(empty, TABLE, replace(FUNCTION, sql=NAME.format("Fido"))) == ["functions/name.sql"]
    assert ask(empty, "SELECT pets.name()") == "Fido"
    assert migrate(empty, TABLE, FUNCTION) == ["functions/name.sql"], "an older version applies its own text"
    assert ask(empty, "SELECT pets.name()") == "Rex"


def test_a_process_does_not_start_with_functions_of_another_version(empty: str) -> None:
    async def check(*files: Migration) -> None:
        connection = await asyncpg.connect(empty)
        try:
            await migrations.check_migrations(connection, files)
        finally:
            await connection.close()

    migrate(empty, TABLE, FUNCTION)
    asyncio.run(check(TABLE, FUNCTION))
    with pytest.raises(MigrationError, match="Outra versão do programa escreveu as funções"):
        asyncio.run(check(TABLE, replace(FUNCTION, sql=NAME.format("Fido"))))
    with pytest.raises(MigrationError, match="Migrações que faltam neste banco: 1;"):
        asyncio.run(check(TABLE, FUNCTION, replace(TABLE, name="0002_more.sql")))


def test_a_file_that_fails_leaves_the_function_and_its_record_as_they_were(empty: str) -> None:
    migrate(empty, TABLE, FUNCTION)
    with pytest.raises(asyncpg.PostgresSyntaxError):
        migrate(empty, TABLE, replace(FUNCTION, sql=NAME.format("Fido") + "; SELEC"))
    assert ask(empty, "SELECT pets.name()") == "Rex"
    assert migrate(empty, TABLE, FUNCTION) == []


def test_a_version_without_a_function_accepts_a_database_that_has_it(empty: str) -> None:
    migrate(empty, TABLE, FUNCTION)
    assert migrate(empty, TABLE) == []
    with pytest.raises(MigrationError, match=r"versão mais nova.*pets/0001_pets\.sql"):
        migrate(empty, FUNCTION)


def test_a_database_from_before_the_baseline_is_refused(empty: str) -> None:
    migrate(empty, Migration("platform", "0001_audit.sql", "SELECT 1"))
    with pytest.raises(MigrationError, match=r"anterior à 1\.0"):
        migrate(empty, *migrations.platform_migrations())


@pytest.mark.parametrize(
    "file", [each for each in app.list_migrations() if each.is_repeatable], ids=lambda each: each.name
)
def test_every_file_of_functions_can_run_again(file: Migration, database_url: str) -> None:
    async def run_again(connection: asyncpg.Connection) -> None:
        await connection.execute(file.sql)

    asyncio.run(migrations.run_as_owner(database_url, run_again))
    # At the start of a line, because a function may itself create the trigger of a new table.
    created = re.findall(r"^CREATE (OR REPLACE )?(?:FUNCTION|TRIGGER)", file.sql, re.MULTILINE)
    assert created
    assert all(created), "CREATE OR REPLACE keeps the rights and what depends on it"
