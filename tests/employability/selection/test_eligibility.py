"""The server decides who may apply, using data from the registry (rules: employability 4.4)."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.employability import SERVICE
from balcao.employability.reference_values.kinds import Kind
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.settings import Settings
from tests.employability.hiring.callers import EDITOR, FOREIGN, Callers
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.hiring.job_bodies import value
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, BLOCKS, TERMS, answer_all, person
from tests.employability.selection.conftest import Apply, Publish
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer

Know = Callable[..., None]
CURRICULUM = "/jobs/api/v1/empregabilidade/curriculo"


@pytest.fixture
def know(database_url: str, registry: RunningServer) -> Know:
    """Return a function that stores a person in the registry."""

    def enter(cpf: str, age: int = 30, **members: Any) -> None:
        born = (datetime.now(UTC) - timedelta(days=age * 365.25 + 40)).date()
        base = {"cpf": cpf, "nome": "Pessoa do Cadastro", "nascimento": {"data": born.isoformat()}}
        load(database_url, IMPORTS[0], base | members)

    return enter


@pytest.fixture(scope="module")
def cut_off(settings: Settings, database_url: str, registry: RunningServer) -> Iterator[httpx.Client]:
    """Yield a client of a service whose registry is down."""
    away = settings.model_copy(update={"registry_url_override": "http://127.0.0.1:9"})
    with (
        RunningServer(app.build_application(away, database_url, [SERVICE.name])) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        yield client


def count(sql: Sql, table: str, cpf: str) -> int:
    found: int = sql(f"SELECT count(*) FROM employability.{table} WHERE cpf = $1", cpf)[0][0]
    return found


@pytest.mark.cases("employability", "43")
def test_who_is_too_young_is_refused_and_leaves_one_block_a_day(
    publish: Publish, apply: Apply, know: Know, sql: Sql, events: Any
) -> None:
    job, cpf = publish(idade_minima=18), person(201)
    know(cpf, age=17)
    for _ in range(2):
        refused = apply(job, cpf)
        body = refused.json()
        assert refusal(refused) == (400, "not-eligible")
        assert body["criterios_nao_atendidos"] == [{"criterio": "idade_minima", "exigido": "18"}]
        assert body["error"] == body["message"]
        assert "A vaga é para quem tem 18 anos ou mais" in body["message"]
        assert set(body) == {"error", "message", "criterios_nao_atendidos"}
    assert (count(sql, "application", cpf), count(sql, "application_block", cpf)) == (0, 1)
    assert [event["fields"] for event in events("employability.submit_application")][-1] == ["bloqueio"]
    know(cpf, age=18)
    assert apply(job, cpf).status_code == 201


@pytest.mark.cases("employability", "45")
def test_without_accepted_terms_nothing_else_is_looked_at(
    http: httpx.Client, cut_off: httpx.Client, issuer: Issuer, publish: Publish, sql: Sql
) -> None:
    job, cpf = publish(idade_minima=18), person(202)
    body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}
    refused = cut_off.post(BASE, json=body, headers=citizen(issuer, cpf))
    assert refusal(refused) == (400, "not-eligible")
    assert [each["criterio"] for each in refused.json()["criterios_nao_atendidos"]] == ["termos_uso"]
    blocks = sql("SELECT criterios_nao_atendidos FROM employability.application_block WHERE cpf = $1", cpf)
    assert [row[0] for row in blocks] == [["termos_uso"]]


def test_what_is_demanded_can_be_seen_before_and_nothing_is_stored(
    http: httpx.Client, issuer: Issuer, publish: Publish, know: Know, create: Any, sql: Sql
) -> None:
    language = {
        "id_idioma": value(Kind.LANGUAGE, "Inglês"),
        "id_nivel_minimo": value(Kind.LANGUAGE_LEVEL, "Avançado"),
    }
    job = publish(
        idade_minima=18,
        idade_maxima=40,
        idiomas_requisito=[language],
        id_escolaridade_minima=value(Kind.SCHOOLING, "Médio completo"),
        bairros_elegibilidade=["Centro", "Porto"],
    )
    cpf = person(203)
    know(cpf, endereco={"principal": {"bairro": "CENTRO", "logradouro": "Rua A", "origem": "x", "sistema": "y"}})
    headers = citizen(issuer, cpf)
    known = [{"id_idioma": language["id_idioma"], "id_nivel": value(Kind.LANGUAGE_LEVEL, "Básico")}]
    http.put(f"{CURRICULUM}/{cpf}/idiomas", json=known, headers=headers)
    http.put(f"{TERMS}/{cpf}/accept", headers=headers)
    answer = http.get(f"{JOBS}/{job['id']}/elegibilidade", headers=headers).json()
    assert [(each["criterio"], each["atendido"]) for each in answer["criterios"]] == [
        ("termos_uso", True),
        ("idade_minima", True),
        ("idade_maxima", True),
        ("escolaridade", False),
        ("idioma", False),
        ("bairro", True),
    ]
    assert answer["criterios"][4]["exigido"] == "Inglês: Avançado"
    assert answer["elegivel"] is False
    assert [count(sql, table, cpf) for table in ("candidate", "application_block")] == [0, 0]
    known[0]["id_nivel"] = language["id_nivel_minimo"]
    http.put(f"{CURRICULUM}/{cpf}/idiomas", json=known, headers=headers)
    schooling = {"id_escolaridade": value(Kind.SCHOOLING, "Técnico"), "status": "Completo"}
    http.put(f"{CURRICULUM}/{cpf}/formacoes", json={"formacoes": [schooling]}, headers=headers)
    assert http.get(f"{JOBS}/{job['id']}/elegibilidade", headers=headers).json()["elegivel"] is True
    draft = create()
    assert refusal(http.get(f"{JOBS}/{draft['id']}/elegibilidade", headers=headers)) == (404, "job-unknown")


@pytest.mark.cases("employability", "44")
def test_the_registrys_declared_schooling_counts(
    http: httpx.Client, registry: RunningServer, issuer: Issuer, publish: Publish, apply: Apply, know: Know
) -> None:
    job, cpf = publish(id_escolaridade_minima=value(Kind.SCHOOLING, "Superior completo")), person(204)
    know(cpf)
    assert refusal(apply(job, cpf)) == (400, "not-eligible")
    with httpx.Client(base_url=registry.url, timeout=PATIENCE) as client:
        told = client.put(
            f"/registry/v1/citizen/{cpf}/education", json={"valor": "Pós Graduação"}, headers=citizen(issuer, cpf)
        )
    assert told.status_code == 200, told.text
    assert apply(job, cpf).status_code == 201


def test_name_and_address_come_from_the_registry_where_it_was_asked(
    publish: Publish, apply: Apply, know: Know, sql: Sql
) -> None:
    asking, plain = publish(idade_minima=18), publish()
    know(person(205), email={"principal": {"valor": "rita@pessoa.example", "origem": "x", "sistema": "y"}})
    first = apply(asking, person(205)).json()
    assert (first["nome"], first["email"]) == ("Pessoa do Cadastro", "rita@pessoa.example")
    assert count(sql, "candidate", person(205)) == 1
    second = apply(plain, person(206)).json()
    assert second["nome"] != "Pessoa do Cadastro"
    waiting = sql("SELECT payload FROM queue.pgqueuer WHERE entrypoint = 'employability.refresh_candidate'")
    assert any(second["id"] in bytes(row[0]).decode() for row in waiting)


@pytest.mark.cases("employability", "49")
def test_while_the_registry_is_away_only_what_needs_it_waits(
    cut_off: httpx.Client, issuer: Issuer, publish: Publish, know: Know, apply: Apply, sql: Sql
) -> None:
    asking, plain, third, cpf = publish(idade_minima=18), publish(), publish(idade_minima=18), person(207)
    headers = citizen(issuer, cpf)
    cut_off.put(f"{TERMS}/{cpf}/accept", headers=headers)

    def send(job: dict[str, Any]) -> httpx.Response:
        body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}
        return cut_off.post(BASE, json=body, headers=headers)

    refused = send(asking)
    assert refusal(refused) == (503, "registry-away")
    assert "Retry-After" in refused.headers
    looked = cut_off.get(f"{JOBS}/{asking['id']}/elegibilidade", headers=headers)
    assert refusal(looked) == (503, "registry-away")
    assert [count(sql, table, cpf) for table in ("application", "application_block", "candidate")] == [0, 0, 0]
    assert send(plain).status_code == 201
    know(cpf)
    assert apply(asking, cpf).status_code == 201  # the call also stores a copy of the person's data
    assert send(third).status_code == 201
    sql("UPDATE employability.application SET status = 'retirada' WHERE cpf = $1 AND id_vaga = $2", cpf, third["id"])
    sql("UPDATE employability.candidate SET read_at = now() - interval '25 hours' WHERE cpf = $1", cpf)
    assert refusal(send(third)) == (503, "registry-away")


@pytest.mark.cases("employability", "51")
def test_staff_register_a_person_who_fails_and_the_criterion_is_kept(
    http: httpx.Client, callers: Callers, publish: Publish, know: Know, sql: Sql
) -> None:
    job, cpf = publish(idade_minima=18), person(208)
    know(cpf, age=16)
    body = {"id_vaga": job["id"], "cpf": cpf, "respostas_info_complementares": answer_all(job)}
    made = http.post(BASE, json=body, headers=callers[EDITOR])
    assert (made.status_code, made.json()["nome"]) == (201, "Pessoa do Cadastro")
    row = sql("SELECT origem, criterios_nao_atendidos FROM employability.application WHERE cpf = $1", cpf)[0]
    assert tuple(row) == ("equipe", ["idade_minima"])
    assert count(sql, "application_block", cpf) == 0


def test_a_portal_tells_of_a_refusal_of_its_own(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, create: Any, events: Any
) -> None:
    job, cpf = publish(), person(209)
    body = {"id_vaga": job["id"], "criterios_nao_atendidos": ["idade_minima", "bairro"]}
    headers = citizen(issuer, cpf)
    made = http.post(BLOCKS, json=body, headers=headers)
    assert (made.status_code, made.json()["cpf"]) == (201, cpf)
    assert set(made.json()) == {"id", "cpf", "id_vaga", "criterios_nao_atendidos", "created_at"}
    assert http.post(BLOCKS, json=body | {"cpf": cpf}, headers=headers).json() == made.json()
    assert refusal(http.post(BLOCKS, json=body | {"cpf": person(210)}, headers=headers)) == (403, "cpf-foreign")
    wrong: list[tuple[list[Any], str]] = [
        ([], "criterios_nao_atendidos-invalid"),
        (["x"] * 21, "criterios_nao_atendidos-invalid"),
        ([""], "criterios_nao_atendidos-length"),
        (["x" * 61], "criterios_nao_atendidos-length"),
        (["idade\nminima"], "criterios_nao_atendidos-control"),
        ([1], "body-invalid"),
    ]
    for criteria, code in wrong:
        refused = http.post(BLOCKS, json=body | {"criterios_nao_atendidos": criteria}, headers=headers)
        assert refusal(refused) == (400, code)
    assert refusal(http.post(BLOCKS, json=body | {"id_vaga": "x"}, headers=headers)) == (400, "id_vaga-invalid")
    draft = http.post(BLOCKS, json=body | {"id_vaga": create()["id"]}, headers=headers)
    assert refusal(draft) == (404, "job-unknown")
    listed = http.get(BLOCKS, params={"id_vaga": job["id"]}, headers=callers[EDITOR]).json()
    masked = f"***.{cpf[3:6]}.{cpf[6:9]}-**"
    assert ([each["cpf"] for each in listed["data"]], listed["meta"]["total"]) == ([masked], 1)
    assert events("employability.list_application_blocks")[-1]["subject"] == masked
    assert http.get(BLOCKS, params={"cpf": cpf}, headers=callers[FOREIGN]).json()["data"] == []
    for query in ({"cpf": "1"}, {"id_vaga": "x"}):
        (name,) = query
        assert refusal(http.get(BLOCKS, params=query, headers=callers[EDITOR])) == (400, f"{name}-invalid")
    assert http.get(BLOCKS, headers=headers).status_code == 403
