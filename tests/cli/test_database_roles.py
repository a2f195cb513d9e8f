"""The roles that own and use the database, and the messages that an operator gets if a role is missing."""

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg
import pytest
from pydantic import SecretStr

from balcao import app
from balcao.core.context.platform import make_database
from balcao.core.database import roles
from balcao.core.database.roles import ApplicationRole, RoleError
from balcao.operate.doctor.diagnosis import diagnose
from balcao.settings import Settings
from tests.support import databases
from tests.support.server import free_port
from tests.support.terminal import Terminal

pytestmark = pytest.mark.long


def run_at(url: str, *statements: str) -> list[asyncpg.Record]:
    """Run the statements, and return the rows of the last one."""

    async def run() -> list[asyncpg.Record]:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                rows = await connection.fetch(statement)
            return list(rows)
        finally:
            await connection.close()

    return asyncio.run(run())


class Installation:
    """A new database with an owner, and the names of a role and a login that tests may create."""

    def __init__(self) -> None:
        name = databases.new_name("city")
        self.administrator = databases.create(name, "template1")
        self.owner, self.role, self.login = f"{name}_owner", f"{name}_app", f"{name}_login"
        run_at(self.administrator, f"CREATE ROLE {self.owner} LOGIN", f"ALTER DATABASE {name} OWNER TO {self.owner}")
        self.name = name

    def url(self, user: str) -> str:
        return self.administrator.replace("//balcao@", f"//{user}@")

    def administer(self, *statements: str) -> None:
        run_at(self.administrator, *statements)

    def settings(self, **others: str) -> dict[str, str]:
        """Return the settings that docs/operate/install.md recommends."""
        urls = {"database_url": self.url(self.role), "database_owner_url": self.url(self.owner)}
        return urls | {"database_role": self.role} | others

    def remove(self) -> None:
        databases.drop(self.name)
        for role in (self.login, self.role, self.owner):
            run_at(databases.url_of("template1"), f"DROP ROLE IF EXISTS {role}")


@pytest.fixture
def install() -> Iterator[Callable[[], Installation]]:
    made: list[Installation] = []

    def make() -> Installation:
        made.append(Installation())
        return made[-1]

    yield make
    for installation in made:
        installation.remove()


def statements_in(refusal: str) -> list[str]:
    return re.findall(r"^ +((?:CREATE|ALTER|GRANT) .*);$", refusal, re.MULTILINE)


def test_an_owner_who_may_make_no_role_is_told_the_two_statements_that_are_missing(
    tmp_path: Path, install: Callable[[], Installation]
) -> None:
    city = install()
    terminal = Terminal(tmp_path, database_url=city.url(city.owner), database_role=city.role)
    wanted = statements_in(terminal.refusal("migrate"))
    assert wanted == [f"CREATE ROLE {city.role} NOLOGIN", f"GRANT {city.role} TO {city.owner}"]
    city.administer(wanted[0])
    assert statements_in(terminal.refusal("migrate")) == wanted[1:]
    city.administer(wanted[1])
    assert terminal.run("migrate").returncode == 0
    assert terminal.run("jobs", "list").returncode == 0


def test_the_services_log_in_as_a_role_that_the_administrator_made_and_never_become_the_owner(
    tmp_path: Path, install: Callable[[], Installation]
) -> None:
    city = install()
    terminal = Terminal(tmp_path, **city.settings())
    assert statements_in(terminal.refusal("migrate")) == [
        f"CREATE ROLE {city.role} LOGIN PASSWORD '<a de BALCAO_DATABASE_URL>'"
    ]
    city.administer(f"CREATE ROLE {city.role} LOGIN", f"REVOKE CONNECT ON DATABASE {city.name} FROM public")
    assert terminal.run("migrate").returncode == 0
    assert "em dia: 0 migrações" in terminal.run("migrate").stdout
    assert terminal.run("jobs", "list").returncode == 0
    assert terminal.run("retention", "run").returncode == 0  # the command logs in as the owner
    for forbidden in (f"SET ROLE {city.owner}", "DELETE FROM platform.audit_event", "CREATE TABLE public.x ()"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            run_at(city.url(city.role), "RESET ROLE", forbidden)


def test_who_does_not_own_the_database_is_told_how_to(tmp_path: Path, install: Callable[[], Installation]) -> None:
    city = install()
    city.administer(f"ALTER DATABASE {city.name} OWNER TO balcao", f"CREATE ROLE {city.role} LOGIN")
    terminal = Terminal(tmp_path, **city.settings())
    assert statements_in(terminal.refusal("migrate")) == [f"ALTER DATABASE {city.name} OWNER TO {city.owner}"]


def test_the_name_of_a_login_may_be_encoded_in_the_address(tmp_path: Path, install: Callable[[], Installation]) -> None:
    city = install()
    name, city.login = f"{city.login}@host", f'"{city.login}@host"'
    city.administer(
        f"CREATE ROLE {city.login} LOGIN NOINHERIT", f"CREATE ROLE {city.role}", f"GRANT {city.role} TO {city.login}"
    )
    terminal = Terminal(tmp_path, **city.settings(database_url=city.url(quote(name))))
    assert terminal.run("migrate").returncode == 0
    assert terminal.run("jobs", "list").returncode == 0


def test_a_login_of_the_services_own_must_be_a_member_of_the_role(
    tmp_path: Path, install: Callable[[], Installation]
) -> None:
    city = install()
    city.administer(f"CREATE ROLE {city.login} LOGIN NOINHERIT")
    terminal = Terminal(tmp_path, **city.settings(database_url=city.url(city.login)))
    wanted = statements_in(terminal.refusal("migrate"))
    assert wanted == [f"CREATE ROLE {city.role} NOLOGIN", f"GRANT {city.role} TO {city.login}"]
    city.administer(*wanted)
    assert terminal.run("migrate").returncode == 0
    assert terminal.run("jobs", "list").returncode == 0


def test_two_installations_on_one_server_have_a_role_each(tmp_path: Path, install: Callable[[], Installation]) -> None:
    first, second = install(), install()
    for city in (first, second):
        city.administer(f"CREATE ROLE {city.role} LOGIN")
        assert Terminal(tmp_path, **city.settings()).run("migrate").returncode == 0
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        run_at(second.administrator.replace("//balcao@", f"//{first.role}@"), "SELECT FROM platform.migration")


def test_a_role_of_another_name_than_the_database_was_prepared_for_is_refused_with_the_right_one(
    tmp_path: Path, install: Callable[[], Installation]
) -> None:
    city = install()
    city.administer(f"CREATE ROLE {city.role} LOGIN", f"CREATE ROLE {city.login} LOGIN")
    assert Terminal(tmp_path, **city.settings()).run("migrate").returncode == 0
    mistaken = Terminal(tmp_path, **city.settings(database_role=city.login, database_url=city.url(city.login)))
    assert f"preparado para o papel {city.role}" in mistaken.refusal("migrate")
    assert "BALCAO_DATABASE_ROLE" in mistaken.refusal("jobs", "list")


def test_a_role_that_may_not_log_in_yet_is_let_in_by_who_may_change_roles(
    install: Callable[[], Installation],
) -> None:
    """A migration by an administrator lets the role log in, as embedded databases of earlier versions need."""
    city = install()
    city.administer(f"CREATE ROLE {city.role} NOLOGIN")
    asyncio.run(app.bring_up_to_date(city.administrator, ApplicationRole(city.role, city.role)))
    assert run_at(city.url(city.role), "SELECT FROM platform.migration")


def test_an_owner_that_cannot_log_in_is_named_by_its_variable(
    tmp_path: Path, install: Callable[[], Installation]
) -> None:
    city = install()
    terminal = Terminal(tmp_path, **city.settings(database_owner_url=city.url("nobody_of_this_name")))
    assert "BALCAO_DATABASE_OWNER_URL" in terminal.refusal("migrate")


def test_an_owner_without_a_database_does_not_start_an_embedded_one(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, database_owner_url="postgresql://owner@db.example/balcao", port=free_port())
    assert "BALCAO_DATABASE_URL" in terminal.refusal("migrate")
    assert not (tmp_path / ".balcao").exists()


async def test_the_embedded_database_is_entered_as_the_role_itself(settings: Settings, database_url: str) -> None:
    database = make_database(settings, database_url)
    await database.open()
    try:
        async with database.connection() as connection:
            await connection.execute("RESET ROLE")
            assert await connection.fetchval("SELECT session_user || ' ' || current_user") == "balcao_app balcao_app"
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute("SET SESSION AUTHORIZATION balcao")
            assert await roles.find_privileged_login(connection) is None
    finally:
        await database.close()


async def test_production_refuses_a_login_that_could_become_the_owner(settings: Settings, database_url: str) -> None:
    production = settings.model_copy(update={"profile": "production", "database_url": database_url})
    with pytest.raises(RoleError, match="BALCAO_DATABASE_OWNER_URL"):
        async with app.build_application(production, database_url, ["access"]).open():
            pass
    found = (await diagnose(production)).parts["database"].problems
    assert any("pode assumir o papel do dono" in sentence for sentence in found)
    assert any("outros bancos deste servidor" in sentence for sentence in found)


def test_a_restore_without_the_role_and_a_lost_hash_key_are_told_by_the_doctor(
    tmp_path: Path, install: Callable[[], Installation]
) -> None:
    """A backup that is restored before the role exists has all rows but no rights for the role."""
    city = install()
    city.administer(f"CREATE ROLE {city.role} LOGIN")
    asyncio.run(app.bring_up_to_date(city.url(city.owner), ApplicationRole(city.role, city.role)))
    settings = Settings(data_dir=tmp_path, port=free_port(), database_url=city.url(city.role), database_role=city.role)

    def diagnose_database(**others: Any) -> str:
        found = asyncio.run(diagnose(settings.model_copy(update=others)))
        return "\n".join(found.parts["database"].problems)

    assert diagnose_database() == ""
    event = (
        "INSERT INTO platform.audit_event (id, at, request_id, operation, action, actor_kind, key_number, client, "
        '"grant", fields, outcome) '
        "VALUES (gen_random_uuid(), now(), '', 'x', 'read', 'operator', 7, '', '', '{}', 'done')"
    )
    run_at(city.url(city.owner), event)
    assert "eventos feitos com a chave 7" in diagnose_database()
    assert diagnose_database(former_hash_keys=SecretStr("7=uma-chave-de-antes")) == ""
    run_at(city.url(city.owner), f"REVOKE ALL ON ALL TABLES IN SCHEMA registry, access FROM {city.role}")
    assert "não tem direitos em access, registry:" in diagnose_database()
    # The surfaces' schemas are excluded, because services have no rights in them.
    schemas = ", ".join(sorted({one.owner for one in app.list_migrations()} - {roles.PANEL_SCHEMA, roles.SITE_SCHEMA}))
    run_at(city.url(city.owner), f"REVOKE ALL ON SCHEMA {schemas} FROM {city.role}")
    assert f"não tem direitos em {schemas}:" in diagnose_database()
