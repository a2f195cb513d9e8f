"""Tests for managing jobs as staff (rules: employability 2.5, 3.3, 4.2)."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.employability.reference_values.kinds import Kind
from tests.employability.hiring.callers import ADMIN, CURATED, EDITOR, FOREIGN, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE, OTHER, describe_job, value
from tests.support.fixture_types import Sql
from tests.support.refusals import refusal


def steps_of(job: dict[str, Any]) -> list[tuple[str, int]]:
    return [(step["titulo"], step["ordem"]) for step in job["etapas"]]


@pytest.mark.cases("employability", "21")
def test_a_job_begins_as_a_draft_whatever_is_sent(http: httpx.Client, callers: Callers, create: Create) -> None:
    job = create(status="publicado_ativo", id="00000000-0000-4000-8000-000000000000", slug="x")
    assert (job["status"], job["publicado_em"], job["acoes_permitidas"]) == (
        "em_edicao",
        None,
        ["send-to-approval", "publish"],
    )
    assert job["slug"] == f"confeiteiro-{job['id'].replace('-', '')[:12]}"
    assert job["orgao_parceiro"] == {
        "orgao_id": "1100",
        "cd_ua": "1100",
        "name": "Secretaria de Saúde",
        "sigla": "S1100",
    }
    assert steps_of(job) == [("Currículo", 1), ("Entrevista", 2)]
    assert http.get(f"{BASE}/{job['id']}", headers=callers[EDITOR]).json() == job


def test_what_was_read_is_taken_back_as_a_duplicate(http: httpx.Client, callers: Callers, create: Create) -> None:
    language = {
        "id_idioma": value(Kind.LANGUAGE, "Inglês"),
        "id_nivel_minimo": value(Kind.LANGUAGE_LEVEL, "Básico"),
    }
    first = create(
        acessibilidade_pcd="para_pcd",
        tipos_pcd=[{"id": value(Kind.DISABILITY_TYPE, "Visual")}],
        zonas=[{"id": value(Kind.ZONE, "Centro")}],
        idiomas_requisito=[language],
        id_escolaridade_minima=value(Kind.SCHOOLING, "Técnico"),
        valor_vaga=2100.55,
    )
    answer = http.post(BASE, json=first, headers=callers[EDITOR])
    second = answer.json()
    assert answer.status_code == 201
    own = {"id", "slug", "created_at", "updated_at", "etapas", "informacoes_complementares"}
    assert {name: second[name] for name in second.keys() - own} == {name: first[name] for name in first.keys() - own}
    for nested in ("etapas", "informacoes_complementares"):
        assert [item["titulo"] for item in second[nested]] == [item["titulo"] for item in first[nested]]
        assert {item["id"] for item in second[nested]}.isdisjoint(item["id"] for item in first[nested])
        assert {item["id_vaga"] for item in second[nested]} == {second["id"]}


@pytest.mark.cases("employability", "23", "32")
def test_a_draft_needs_its_base_and_a_publication_everything(
    http: httpx.Client, callers: Callers, create: Create, sql: Sql
) -> None:
    before = sql("SELECT count(*) FROM employability.job")
    refused = http.post(BASE, json={"titulo": " ", "descricao": None}, headers=callers[EDITOR])
    assert refusal(refused) == (400, "job-incomplete")
    assert all(
        name in refused.json()["error"] for name in ("titulo", "descricao", "id_contratante", "id_modelo_trabalho")
    )
    bare = describe_job(bairro=..., requisitos="", etapas=[{"titulo": "x"}])
    refused = http.post(BASE, json=bare, params={"acao": "publicar"}, headers=callers[EDITOR])
    assert refusal(refused) == (400, "job-incomplete")
    assert all(name in refused.json()["error"] for name in ("bairro", "requisitos", "etapas[0].descricao"))
    assert sql("SELECT count(*) FROM employability.job") == before
    assert create(acao="publicar")["status"] == "publicado_ativo"


@pytest.mark.parametrize(
    ("member", "sent", "code"),
    [
        ("titulo", "x" * 501, "titulo-length"),
        ("titulo", 7, "body-invalid"),
        ("titulo", "Confei\nteiro", "titulo-control"),
        ("id_contratante", "90000003000118", "company-unknown"),
        ("id_contratante", "123", "id_contratante-invalid"),
        ("id_regime_contratacao", "x", "id_regime_contratacao-invalid"),
        ("id_regime_contratacao", value(Kind.WORK_MODEL, "Remoto"), "id_regime_contratacao-invalid"),
        ("id_orgao_parceiro", "9999", "department-unknown"),
        ("data_limite", "amanhã", "data_limite-invalid"),
        ("data_limite", "2026-02-30", "data_limite-invalid"),
        ("valor_vaga", 1.005, "valor_vaga-invalid"),
        ("valor_vaga", "1", "body-invalid"),
        ("valor_vaga", -1, "body-invalid"),
        ("quantidade_estimada_contratacoes", 0, "body-invalid"),
        ("acessibilidade_pcd", "sim", "acessibilidade_pcd-invalid"),
        ("idade_minima", 121, "body-invalid"),
        ("idade_maxima", 3.5, "body-invalid"),
        ("zonas", [{"id": value(Kind.DISABILITY_TYPE, "Visual")}], "zonas-invalid"),
        ("bairros_elegibilidade", ["x"] * 201, "bairros_elegibilidade-invalid"),
        ("etapas", [{"titulo": "x"}] * 31, "etapas-invalid"),
        ("informacoes_complementares", [{"titulo": "x", "tipo_campo": "data"}], "body-invalid"),
        (
            "informacoes_complementares",
            [{"titulo": "x", "tipo_campo": "resposta_curta", "opcoes": ["a"]}],
            "informacoes_complementares.opcoes-invalid",
        ),
        (
            "informacoes_complementares",
            [{"titulo": "x", "tipo_campo": "selecao_unica", "opcoes": ["a", "a"]}],
            "informacoes_complementares.opcoes-invalid",
        ),
        (
            "informacoes_complementares",
            [{"titulo": "x", "tipo_campo": "resposta_numerica", "valor_minimo": 2, "valor_maximo": 1}],
            "informacoes_complementares.valor_minimo-invalid",
        ),
        (
            "idiomas_requisito",
            [{"id_idioma": value(Kind.LANGUAGE, "Inglês"), "id_nivel_minimo": value(Kind.LANGUAGE_LEVEL, "Básico")}]
            * 2,
            "language-repeated",
        ),
    ],
)
def test_a_member_that_cannot_be_is_named_and_nothing_is_stored(
    http: httpx.Client, callers: Callers, sql: Sql, member: str, sent: Any, code: str
) -> None:
    before = sql("SELECT count(*) FROM employability.job")
    body = describe_job(idade_minima=18) | {member: sent}
    answer = http.post(BASE, json=body, headers=callers[ADMIN])
    assert (refusal(answer), member in answer.json()["error"]) == ((400, code), True), answer.text
    assert sql("SELECT count(*) FROM employability.job") == before


def test_a_company_that_goes_while_a_job_of_it_is_stored_is_told(
    http: httpx.Client, callers: Callers, sql: Sql, database_url: str
) -> None:
    """The company exists when the service checks it, but is deleted before the job is stored."""
    before, gone = sql("SELECT count(*) FROM employability.job"), "90000002000173"
    sql("INSERT INTO employability.company (cnpj, razao_social) VALUES ($1, 'Construções Horizonte S.A.')", gone)
    body, headers = describe_job(id_contratante=gone), callers[EDITOR]

    async def race() -> httpx.Response:
        holder, watcher = [await asyncpg.connect(database_url) for _ in range(2)]
        waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid)))"
        try:
            async with holder.transaction():
                await holder.execute("DELETE FROM employability.company WHERE cnpj = $1", gone)
                storing = asyncio.get_running_loop().run_in_executor(
                    None, lambda: http.post(BASE, json=body, headers=headers)
                )
                while not await watcher.fetchval(waits, holder.get_server_pid()):
                    assert not storing.done()
            return await storing
        finally:
            await holder.close()
            await watcher.close()

    assert refusal(asyncio.run(race())) == (400, "reference-gone")
    assert sql("SELECT count(*) FROM employability.job") == before


@pytest.mark.cases("employability", "22")
def test_a_department_outside_the_scope_is_refused(http: httpx.Client, callers: Callers, sql: Sql) -> None:
    before = sql("SELECT count(*) FROM employability.job")
    answer = http.post(BASE, json=describe_job(id_orgao_parceiro=OTHER), headers=callers[EDITOR])
    assert (answer.status_code, answer.headers["Error-Code"]) == (403, "department-foreign")
    assert sql("SELECT count(*) FROM employability.job") == before
    assert http.post(BASE, json=describe_job(id_orgao_parceiro=OTHER), headers=callers[ADMIN]).status_code == 201


@pytest.mark.cases("employability", "26")
def test_another_departments_job_is_as_unknown_as_any(http: httpx.Client, callers: Callers, create: Create) -> None:
    path = f"{BASE}/{create()['id']}"
    unknown = f"{BASE}/00000000-0000-4000-8000-000000000000"
    calls: list[Callable[[str], httpx.Response]] = [
        lambda path: http.get(path, headers=callers[FOREIGN]),
        lambda path: http.put(path, json=describe_job(), headers=callers[FOREIGN]),
        lambda path: http.delete(path, headers=callers[FOREIGN]),
        lambda path: http.put(f"{path}/publish", headers=callers[FOREIGN]),
        lambda path: http.get(f"{path}/historico", headers=callers[FOREIGN]),
    ]
    for call in calls:
        answer = call(path)
        assert (refusal(answer), answer.content) == ((404, "job-unknown"), call(unknown).content)
    assert create(FOREIGN, id_orgao_parceiro=OTHER)["id"] in {
        job["id"] for job in http.get(BASE, headers=callers[FOREIGN]).json()["data"]
    }
    assert path.rpartition("/")[2] not in http.get(BASE, params={"pageSize": 100}, headers=callers[FOREIGN]).text
    assert http.get(BASE, params={"orgao_parceiro_id": "1100"}, headers=callers[FOREIGN]).json()["data"] == []


def test_a_draft_without_department_is_its_authors(http: httpx.Client, callers: Callers, create: Create) -> None:
    path = f"{BASE}/{create(id_orgao_parceiro=None)['id']}"
    assert http.get(path, headers=callers[EDITOR]).json()["orgao_parceiro"] is None
    assert http.get(path, headers=callers[ADMIN]).status_code == 200
    assert refusal(http.get(path, headers=callers[CURATED])) == (404, "job-unknown")
    refused = http.put(f"{path}/send-to-approval", headers=callers[EDITOR])
    assert (refusal(refused), "id_orgao_parceiro" in refused.json()["error"]) == ((400, "job-incomplete"), True)
    given = http.put(path, json=describe_job(id_orgao_parceiro="1100"), headers=callers[EDITOR])
    assert (given.status_code, given.json()["id_orgao_parceiro"]) == (200, "1100")


@pytest.mark.cases("employability", "27", "31")
def test_absent_members_are_kept_or_cleared_as_each_one_says(
    http: httpx.Client, callers: Callers, create: Create
) -> None:
    job = create(
        acessibilidade_pcd="exclusivo_pcd",
        tipos_pcd=[{"id": value(Kind.DISABILITY_TYPE, "Visual")}],
        zonas=[{"id": value(Kind.ZONE, "Centro")}],
        idade_minima=18,
        idade_maxima=30,
        bairros_elegibilidade=["Centro", "Centro", "Porto"],
        beneficios="Vale.",
        valor_vaga=1,
    )
    assert job["bairros_elegibilidade"] == ["Centro", "Porto"]
    path = f"{BASE}/{job['id']}"
    after = http.put(path, json={"titulo": "Novo", "descricao": "Nova"}, headers=callers[EDITOR]).json()
    cleared = {
        "bairro", "data_limite", "requisitos", "beneficios", "responsabilidades", "valor_vaga", "acessibilidade_pcd",
        "idade_minima",
    }  # fmt: skip
    assert {name for name in after if after[name] is None} >= cleared
    assert after["tipos_pcd"] == []
    kept = {
        "id", "id_contratante", "id_regime_contratacao", "id_modelo_trabalho", "id_orgao_parceiro", "idade_maxima",
        "bairros_elegibilidade", "zonas", "etapas", "informacoes_complementares", "created_at",
    }  # fmt: skip
    assert {name: after[name] for name in kept} == {name: job[name] for name in kept}
    assert after["slug"].startswith("novo-")
    nulls: dict[str, Any] = {"titulo": "N", "descricao": "N", "etapas": None, "zonas": [], "idade_maxima": None}
    emptied = http.put(path, json=nulls, headers=callers[EDITOR]).json()
    assert (emptied["etapas"], emptied["zonas"], emptied["idade_maxima"]) == ([], [], None)


@pytest.mark.cases("employability", "28")
def test_steps_are_told_apart_by_id_and_numbered_without_gaps(
    http: httpx.Client, callers: Callers, create: Create
) -> None:
    job = create()
    first, second = job["etapas"]
    body = describe_job(
        etapas=[first | {"ordem": 9}, {"titulo": "Teste", "descricao": "x", "id": "temp-1"}, second | {"ordem": 1}]
    )
    after = http.put(f"{BASE}/{job['id']}", json=body, headers=callers[EDITOR]).json()
    assert steps_of(after) == [("Entrevista", 1), ("Teste", 2), ("Currículo", 3)]
    assert [step["id"] for step in after["etapas"] if step["titulo"] != "Teste"] == [second["id"], first["id"]]
    again = http.put(f"{BASE}/{job['id']}", json=after, headers=callers[EDITOR]).json()
    assert again["etapas"] == after["etapas"]


@pytest.mark.cases("employability", "29")
def test_a_question_of_another_job_is_a_new_one(http: httpx.Client, callers: Callers, create: Create) -> None:
    one, other = create(), create()
    foreign = other["informacoes_complementares"][0]
    body = describe_job(informacoes_complementares=[foreign | {"titulo": "Outra?"}])
    [made] = http.put(f"{BASE}/{one['id']}", json=body, headers=callers[EDITOR]).json()["informacoes_complementares"]
    assert (made["titulo"], made["id_vaga"]) == ("Outra?", one["id"])
    assert made["id"] != foreign["id"]
    unchanged = http.get(f"{BASE}/{other['id']}", headers=callers[EDITOR]).json()
    assert unchanged["informacoes_complementares"] == other["informacoes_complementares"]


@pytest.mark.cases("employability", "30")
def test_a_published_job_stays_complete_and_its_department_as_it_is(
    http: httpx.Client, callers: Callers, create: Create
) -> None:
    job = create(acao="publicar")
    path = f"{BASE}/{job['id']}"
    refused = http.put(path, json=describe_job(requisitos=...), headers=callers[EDITOR])
    assert (refusal(refused), "requisitos" in refused.json()["error"]) == ((400, "job-incomplete"), True)
    past = http.put(path, json=describe_job(data_limite="2020-01-01"), headers=callers[EDITOR])
    assert (past.status_code, past.headers["Error-Code"]) == (400, "data_limite-past")
    assert http.put(path, json=describe_job(), headers=callers[CURATED]).status_code == 403
    ignored = http.put(path, json=describe_job(id_orgao_parceiro=OTHER), headers=callers[EDITOR])
    assert (ignored.status_code, ignored.json()["id_orgao_parceiro"]) == (200, "1100")
    moved = http.put(path, json=describe_job(id_orgao_parceiro=OTHER), headers=callers[ADMIN])
    assert moved.json()["id_orgao_parceiro"] == OTHER


def test_a_change_holds_only_on_the_state_that_was_read(http: httpx.Client, callers: Callers, create: Create) -> None:
    path = f"{BASE}/{create()['id']}"
    etag = http.get(path, headers=callers[EDITOR]).headers["ETag"]
    sent = callers[EDITOR] | {"If-Match": etag}
    changed = http.put(path, json=describe_job(titulo="Outro"), headers=sent)
    assert changed.status_code == 200
    assert http.get(path, headers=callers[EDITOR]).headers["ETag"] == changed.headers["ETag"] != etag
    assert http.put(path, json=describe_job(), headers=sent).status_code == 412
    assert http.put(f"{path}/publish", headers=sent).status_code == 412
    assert http.delete(path, headers=sent).status_code == 412
    assert http.get(path, headers=callers[EDITOR]).json() == changed.json()


def test_the_same_creation_again_makes_nothing_new(http: httpx.Client, callers: Callers, sql: Sql) -> None:
    headers, body = callers[EDITOR] | {"Idempotency-Key": "vaga-1"}, describe_job()
    first, second = (http.post(BASE, json=body, headers=headers) for _ in range(2))
    assert first.content == second.content
    assert http.post(BASE, json=body | {"titulo": "Outro"}, headers=headers).status_code == 409
    assert http.post(BASE, json=body, params={"acao": "publicar"}, headers=headers).status_code == 409


def test_a_deleted_job_is_in_no_list_and_unknown(http: httpx.Client, callers: Callers, create: Create) -> None:
    job = create(acao="publicar")
    path = f"{BASE}/{job['id']}"
    assert http.delete(path, headers=callers[CURATED]).status_code == 403
    gone = http.delete(path, headers=callers[EDITOR])
    assert (gone.status_code, gone.json()) == (200, {"message": "Vaga excluída."})
    for answer in (http.get(path, headers=callers[ADMIN]), http.delete(path, headers=callers[ADMIN])):
        assert (answer.status_code, answer.headers["Error-Code"]) == (404, "job-unknown")
    assert job["id"] not in http.get(BASE, params={"pageSize": 100}, headers=callers[ADMIN]).text
    assert http.delete(f"{BASE}/{create()['id']}", headers=callers[CURATED]).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "status=aberta",
        "data_publicacao=ontem",
        "acessibilidade_pcd=sim",
        "id_regime_contratacao=x",
        "contratante=123",
        f"bairro={','.join('x' * 51)}",
    ],
)
def test_a_filter_that_cannot_be_is_named(http: httpx.Client, callers: Callers, query: str) -> None:
    answer = http.get(f"{BASE}?{query}", headers=callers[ADMIN])
    name = query.partition("=")[0]
    assert (refusal(answer), name in answer.json()["error"]) == ((400, f"{name}-invalid"), True)
