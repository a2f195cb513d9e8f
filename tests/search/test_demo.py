"""The sandbox's catalogue, which the same code creates identically everywhere (rules: search 7)."""

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core.values.costs_and_deadlines import FREE, IMMEDIATE, UNITS
from balcao.search.phrases import service as phrases
from balcao_sandbox.demo import health_units_city
from balcao_sandbox.demo import search as demo
from balcao_sandbox.demo.registry import departments
from balcao_sandbox.demo.request_types import read_requests
from tests.search.conftest import EMPTY
from tests.search.stage import Stage
from tests.support.issuer import Issuer, bearer

_COUNTS = """
SELECT (SELECT count(*) FROM search.service_head) AS services,
       (SELECT count(*) FROM search.service_head WHERE deleted_at IS NOT NULL) AS deleted,
       (SELECT count(*) FROM search.service_head WHERE next_version = 7) AS long_histories,
       (SELECT count(*) FROM search.service_versions) AS versions,
       (SELECT count(*) FROM search.search_migrations WHERE kind = 'migration') AS migrations,
       (SELECT count(*) FROM search.service_phrases) AS with_phrases,
       (SELECT count(*) FROM search.service_feedback) AS comments
"""
_ORGANS = "SELECT DISTINCT jsonb_array_elements_text(snapshot -> 'orgao_gestor') FROM search.service_versions"
WHOLE = {
    "services": 233,
    "deleted": 2,
    "long_histories": 3,
    "versions": 290,
    "migrations": 1,
    "with_phrases": 231,
    "comments": 3,
}

# A service whose name has the word is for this audience.
AUDIENCES = {
    "pessoa idosa": "Idosos",
    "pessoas idosas": "Idosos",
    "pessoa com deficiência": "Pessoas com Deficiência",
    "mulher": "Mulheres",
    "mamografia": "Mulheres",
    "do estudante": "Estudantes",
    "para adultos": "Adultos",
    "creche": "Famílias",
    "microempreendedor": "Empresários",
    "alvará": "Empresários",
}
_STOP_HALF_WAY = """
CREATE FUNCTION public.stop_half_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM search.service_versions) = 27 THEN RAISE EXCEPTION 'stopped'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stop_half_way BEFORE INSERT ON search.service_versions
    FOR EACH ROW EXECUTE FUNCTION public.stop_half_way();
"""


def count(stage: Stage) -> dict[str, int]:
    return dict(stage.run(stage.owner.fetchrow(_COUNTS)))


@pytest.fixture(scope="module", autouse=True)
def interrupted(stage: Stage) -> dict[str, int]:
    """Interrupt the first load, load again, and return the counts at the time of the interruption."""
    for statement in EMPTY:
        stage.run(stage.owner.execute(statement))
    stage.run(stage.owner.execute(_STOP_HALF_WAY))
    with pytest.raises(asyncpg.RaiseError):
        stage.run(demo.load_demo_services(stage.platform))
    stage.run(stage.owner.execute("DROP FUNCTION public.stop_half_way CASCADE"))
    before = count(stage)
    stage.run(demo.load_demo_services(stage.platform))
    return before


@pytest.fixture
def examples(stage: Stage) -> dict[str, Any]:
    return dict(stage.run(demo.find_service_examples(stage.platform)))


def test_an_interrupted_load_goes_on_where_it_stopped(stage: Stage, interrupted: dict[str, int]) -> None:
    assert interrupted["versions"] == 27
    assert count(stage) == WHOLE


def test_a_second_load_changes_nothing(stage: Stage) -> None:
    stage.run(demo.load_demo_services(stage.platform))
    assert count(stage) == WHOLE


_STATES = """
SELECT count(*) FILTER (WHERE status = 1) AS published, count(*) FILTER (WHERE awaiting_approval) AS awaiting,
       count(*) FILTER (WHERE status = 0 AND NOT awaiting_approval) AS in_edition,
       count(*) FILTER (WHERE exclusive) AS exclusive,
       count(*) FILTER (WHERE (doc ->> 'fixar_destaque')::boolean) AS highlighted,
       count(DISTINCT tema_fold) AS categories, count(DISTINCT (tema_fold, sub_fold)) AS subcategories,
       (SELECT count(*) FROM search.tombamentos) AS mappings
FROM search.{physical}
"""


def test_the_catalogue_has_everything_to_show(stage: Stage, sql: Callable[..., list[asyncpg.Record]]) -> None:
    [[physical]] = sql("SELECT physical FROM search.search_collection")
    [states] = sql(_STATES.format(physical=physical))
    assert dict(states) == {
        "published": 191, "awaiting": 20, "in_edition": 20, "exclusive": 6, "highlighted": 4,
        "categories": 23, "subcategories": 86, "mappings": 8,
    }  # fmt: skip
    [[all_in_the_past]] = sql("SELECT bool_and(created_at < now()) FROM search.service_versions")
    assert all_in_the_past


def test_each_description_says_plainly_what_the_protocol_is_for(sql: Callable[..., list[asyncpg.Record]]) -> None:
    [[physical]] = sql("SELECT physical FROM search.search_collection")
    said = "doc ->> 'descricao_completa' LIKE '%guarde esse número. Com ele, você acompanha o andamento.%'"
    [[are_plain]] = sql(f"SELECT bool_and({said}) FROM search.{physical} WHERE status = 1")
    assert are_plain


def test_the_examples_work(examples: dict[str, Any], http: httpx.Client, issuer: Issuer) -> None:
    assert examples["versions"] == [1, 2, 3, 4, 5, 6]
    token = bearer(issuer.admin())
    path = f"/search/api/v1/admin/services/{examples['service_id']}/versions/compare"
    changed = [
        [change["field_name"] for change in http.get(path, params=query, headers=token).json()["changes"]]
        for query in ({"from_version": number, "to_version": number + 1} for number in range(1, 6))
    ]
    assert changed == [
        ["documentos_necessarios"], ["buttons"], ["published_at", "status"], ["nome_servico"], ["nome_servico"],
    ]  # fmt: skip


def test_the_migration_can_be_rolled_back_at_once(examples: dict[str, Any], http: httpx.Client, issuer: Issuer) -> None:
    token = bearer(issuer.admin())
    run = http.get("/search/api/v1/admin/migration/history", headers=token).json()["migrations"][-1]
    assert (run["id"], run["status"], run["previous_schema_version"], run["schema_version"], run["started_by"]) == (
        examples["migration_id"], "completed", "v2", "v3", "Marina Sales",
    )  # fmt: skip
    body = {"migration_id": examples["migration_id"]}
    assert http.post("/search/api/v1/admin/migration/rollback", json=body, headers=token).status_code == 200


def test_changed_and_removed_phrases_remain(stage: Stage, sql: Callable[..., list[asyncpg.Record]]) -> None:
    changed, removed = list(demo.list_phrases())[:2]
    sql("UPDATE search.service_phrases SET phrases = '{outra}' WHERE service_id = $1", changed)
    sql("DELETE FROM search.service_phrases WHERE service_id = $1", removed)
    stage.run(demo.load_demo_services(stage.platform))
    rows = sql("SELECT phrases FROM search.service_phrases WHERE service_id = ANY ($1::uuid[])", [changed, removed])
    assert [row["phrases"] for row in rows] == [["outra"]]


def test_every_phrase_is_as_a_curator_could_write_it() -> None:
    said = tomllib.loads(files("balcao_sandbox.demo").joinpath("search_phrases.toml").read_text("utf-8"))
    assert said.keys() == {planned.body["nome_servico"] for planned in demo._draw_services()}
    for given in said.values():
        assert phrases.clean_phrases(given) == given


def test_every_kind_of_cost_and_every_unit_occurs(sql: Callable[..., list[asyncpg.Record]]) -> None:
    found = sql("""
        SELECT array_agg(DISTINCT snapshot -> 'custo' ->> 'tipo') AS kinds,
               array_agg(DISTINCT snapshot -> 'prazo' ->> 'unidade') AS units
        FROM search.service_versions
    """)
    assert set(found[0]["kinds"]) == {None, FREE, "fixo", "a_partir_de", "faixa", "variavel"}
    assert set(found[0]["units"]) == {None, IMMEDIATE, *UNITS}


def test_every_demo_service_belongs_to_departments_that_the_registry_has(stage: Stage) -> None:
    """The portals show the names of departments, which they read from the registry by code."""
    rows = stage.run(stage.owner.fetch(_ORGANS))
    names = files(departments.__package__).joinpath("departments.toml").read_text("utf-8")
    codes = {row.partition(" | ")[0] for row in tomllib.loads(names)["departments"]}
    assert rows
    assert {row[0] for row in rows} <= codes


def test_a_service_promises_the_deadline_and_the_department_of_its_request_type() -> None:
    """The site shows both next to each other."""
    services = {planned.service_id: planned.body for planned in demo.list_published()}
    for kind in read_requests()["type"]:
        service = services[kind["service_id"]]
        assert service["prazo"] == {"unidade": "dias", "quantidade": kind["deadline_days"]}, kind["id"]
        assert not service["tempo_atendimento"]
        assert set(service["orgao_gestor"]) <= set(kind["departments"]), kind["id"]


def test_the_texts_of_a_service_agree_with_each_other() -> None:
    units = {unit.nome: f"{unit.logradouro}, {unit.numero}" for unit in health_units_city.UNITS.values()}
    for planned in demo._draw_services():
        body, name = planned.body, planned.body["nome_servico"]
        for place in body["canais_presenciais"]:
            where, _, address = place.partition(", ")
            assert units.get(where, address) == address, name
        is_immediate = body["tempo_atendimento"] == "Imediato" or body.get("prazo") == {"unidade": "imediato"}
        assert is_immediate or "na hora" not in body["resultado_solicitacao"], name
        assert body["is_free"] is not True or " reais" not in body["resumo"], name
        assert ("Servidores" in body["publico_especifico"]) == (
            "matrícula de servidor" in body["documentos_necessarios"][0]
        )
        for word, audience in AUDIENCES.items():
            assert word not in name.lower() or audience in body["publico_especifico"], name
        assert bool(body["canais_digitais"]) == bool(body["buttons"]), name
