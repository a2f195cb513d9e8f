"""The schema `console` was renamed to `panel`.

An upgrade preserves sessions, and old processes can use the old names.
"""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest

from balcao.core.database import migrations
from balcao.core.database.roles import ApplicationRole
from balcao.settings import Settings, SettingsError
from balcao.web.database import list_migrations
from tests.support import databases


@pytest.fixture
def empty() -> Iterator[str]:
    name = databases.new_name("renamed")
    yield databases.create(name, "template1")
    databases.drop(name)


def test_an_upgrade_keeps_the_sessions_and_the_old_processes_go_on_with_the_old_names(empty: str) -> None:
    role = ApplicationRole(panel="balcao_panel_before")
    before = [each for each in list_migrations("panel") if each.name < "0009"]

    async def upgrade() -> None:
        await migrations.migrate(empty, [], role)
        connection = await asyncpg.connect(empty)
        try:
            for each in before:
                await connection.execute(each.sql)
                await migrations.mark_done(connection, "console", each.name)
                await connection.execute(
                    "UPDATE platform.migration SET digest = $1 WHERE name = $2", each.digest, each.name
                )
            await connection.execute(
                "CREATE ROLE balcao_panel_before; GRANT USAGE ON SCHEMA console TO balcao_panel_before;"
                "INSERT INTO console.session (key, subject_key, identity) VALUES ('a', 'b', 'c');"
            )
            await migrations.migrate(empty, list_migrations("panel"), role)
            assert await connection.fetchval("SELECT count(*) FROM panel.session") == 1
            await connection.execute("SET ROLE balcao_panel_before")
            await connection.execute(
                "INSERT INTO console.session (key, subject_key, identity) VALUES ('d', 'b', 'c');"
                "UPDATE console.session SET used_at = now() WHERE key = 'a';"
                "DELETE FROM console.session WHERE key = 'a';"
            )
            assert await connection.fetch("SELECT key, generation FROM panel.session") == [(b"d", 1)]
            # An old process that starts during the upgrade finds that all its migrations have been applied.
            old = [migrations.Migration("console", each.name, each.sql) for each in before]
            await migrations.check_migrations(connection, old, "console")
            await migrations.check_migrations(connection, list_migrations("panel"), "panel")
        finally:
            await connection.execute("RESET ROLE")
            await connection.execute("DROP OWNED BY balcao_panel_before; DROP ROLE balcao_panel_before")
            await connection.close()

    asyncio.run(upgrade())


def test_a_setting_with_an_old_name_is_refused_with_the_new_one() -> None:
    with pytest.raises(SettingsError, match=r"BALCAO_CONSOLE, BALCAO_CONSOLE_KEY\. .*BALCAO_PANEL"):
        Settings.load({"BALCAO_CONSOLE": "true", "BALCAO_CONSOLE_KEY": "x"})
