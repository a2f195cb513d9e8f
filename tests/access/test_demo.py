"""The demo catalogue of the sandbox (rules: access 7)."""

import pytest

from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao_sandbox.demo import access as demo
from tests.access import stored
from tests.support.fixture_types import Sql

STAFF = {
    "90000001309": ["superadministradores"],
    "90000040126": ["administradores"],
    "90000030163": ["emprego_admin"],
    "90000030244": ["emprego_editores", "go:orgao:1900"],
    "90000030325": ["emprego_curados", "go:orgao:2600"],
    "90000020109": ["busca_editores"],
    "90000020281": ["busca_admin"],
    "90000001228": ["atendimento", "balcao", "registro_auditoria"],
    "90000040207": ["auditoria"],
    "90000040398": ["risco_norte"],
    "90000020443": ["risco_operadores"],
    "90000020524": ["unidades_admin"],
    "90000020605": ["agentes_admin"],
    "90000040479": [],
}


@pytest.fixture
async def loaded(platform: Platform) -> Platform:
    await demo.load_demo_access(platform)
    return platform


async def test_the_demo_staff_stand_in_their_groups(loaded: Platform) -> None:
    snapshot = loaded.catalogue.snapshot
    assert {cpf: sorted(group.name for group in snapshot.groups_of(Cpf(cpf))) for cpf in STAFF} == STAFF
    groups = {cpf: snapshot.groups_of(Cpf(cpf)) for cpf in STAFF}
    held = {cpf: {snapshot.roles[role].name for group in groups[cpf] for role in group.roles} for cpf in STAFF}
    assert held["90000030244"] == {"go:empregabilidade:editor_sem_curadoria"}
    assert held["90000001228"] == {"rmi:atendimento", "rmi:balcao", "registro_auditor"}
    assert snapshot.roles_by_name["registro_auditor"].actions == frozenset({"audit:read"})


async def test_a_second_load_changes_nothing_and_brings_nothing_back(loaded: Platform) -> None:
    async with loaded.database.connection() as connection:
        await connection.execute("DELETE FROM access.membership")
        before = await connection.fetchval("SELECT version FROM access.catalogue_version")
    await demo.load_demo_access(loaded)
    async with loaded.database.connection() as connection:
        assert await connection.fetchval("SELECT version FROM access.catalogue_version") == before
        assert await connection.fetchval("SELECT count(*) FROM access.membership") == 0


async def test_a_half_finished_load_is_completed(loaded: Platform) -> None:
    async with loaded.database.connection() as connection:
        await connection.execute("DELETE FROM access.membership")
        await connection.execute("DELETE FROM access.shipped_once WHERE kind = 'demo'")
    await demo.load_demo_access(loaded)
    assert [group.name for group in loaded.catalogue.snapshot.groups_of(Cpf("90000040207"))] == ["auditoria"]
    async with loaded.database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM access.action WHERE name LIKE 'iptu:%'") == 1


async def test_the_example_is_a_shipped_action_that_may_be_renamed(loaded: Platform) -> None:
    found = await demo.find_access_examples(loaded)
    async with loaded.database.connection() as connection:
        row = await connection.fetchrow("SELECT code_key, origin FROM access.action WHERE id = $1", found["action_id"])
    assert row is not None
    assert row["origin"] == "shipped"
    assert not row["code_key"].startswith("platform:")


def test_the_history_holds_a_rename_and_verifies_without_a_whole_cpf(
    settings: object, database_url: str, sql: Sql
) -> None:
    events = stored.read_chain(sql)
    stored.verify(events)
    renames = [e for e in events if e["operation"] == "action.update"]
    assert [(e["before"]["name"], e["after"]["name"]) for e in renames] == [("iptu:boleto:ler", "iptu:invoice:read")]
    text = stored.encode_canonically(events)
    assert [cpf for cpf in STAFF if cpf in text] == []
    mapped = sql("SELECT method, path_pattern FROM access.endpoint_mapping WHERE operation_key IS NULL ORDER BY 2")
    assert [tuple(row) for row in mapped] == [("GET", "/iptu/api/v1/boletos"), ("GET", "/iptu/api/v1/boletos/{id}")]
