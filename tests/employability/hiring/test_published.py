"""Tests for reading published jobs as a visitor (rules: employability 2.6, 3.3)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import httpx
import pytest

from balcao.employability.hiring.search.schemas import find_since
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.texts import parse_slug, slugify
from tests.employability.hiring.callers import EDITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE, COMPANY, PUBLIC, describe_job, value
from tests.support.fixture_types import Sql
from tests.support.refusals import refusal


def found(http: httpx.Client, **query: Any) -> list[str]:
    answer = http.get(PUBLIC, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.json()["meta"]["total"] == len(answer.json()["data"])
    return [job["titulo"] for job in answer.json()["data"]]


@pytest.mark.cases("employability", "37")
def test_a_draft_is_no_published_job(http: httpx.Client, create: Create) -> None:
    draft = create()
    answer = http.get(f"{PUBLIC}/{draft['id']}")
    assert refusal(answer) == (404, "job-unknown")
    assert refusal(http.get(f"{PUBLIC}/slug/{draft['slug']}")) == (404, "job-unknown")
    assert refusal(http.get(PUBLIC, params={"status": "em_edicao"})) == (400, "status-invalid")
    assert draft["id"] not in http.get(PUBLIC, params={"pageSize": 100}).text


def test_a_visitor_sees_a_job_without_what_is_for_staff(http: httpx.Client, create: Create, callers: Callers) -> None:
    job = create(acao="publicar")
    seen = http.get(f"{PUBLIC}/{job['id']}")
    assert seen.json().keys() == job.keys() - {"acoes_permitidas"}
    assert seen.headers["Cache-Control"] == "public, max-age=15"
    again = http.get(f"{PUBLIC}/{job['id']}", headers={"If-None-Match": seen.headers["ETag"]})
    assert again.status_code == 304
    # A malformed or expired token is ignored here.
    assert http.get(PUBLIC, headers={"Authorization": "Bearer x"}).status_code == 200
    [item] = http.get(PUBLIC, params={"search": job["titulo"], "pageSize": 1}).json()["data"]
    assert item.keys() == seen.json().keys() - {"etapas", "informacoes_complementares"}


@pytest.mark.cases("employability", "40")
def test_an_old_slug_leads_to_the_present_one(http: httpx.Client, create: Create, callers: Callers) -> None:
    job = create(acao="publicar", titulo="Açougueiro (noite)")
    assert job["slug"].startswith("acougueiro-noite-")
    http.put(f"{BASE}/{job['id']}", json=describe_job(titulo="Açougueiro"), headers=callers[EDITOR])
    present = http.get(f"{PUBLIC}/{job['id']}").json()["slug"]
    moved = http.get(f"{PUBLIC}/slug/{job['slug']}")
    assert (moved.status_code, moved.headers["Location"]) == (301, f"{PUBLIC}/slug/{present}")
    assert http.get(moved.headers["Location"]).json()["id"] == job["id"]
    assert refusal(http.get(f"{PUBLIC}/slug/nada")) == (404, "job-unknown")


@pytest.mark.cases("employability", "38")
def test_filters_narrow_the_list_and_its_total(http: httpx.Client, create: Create, sql: Sql) -> None:
    sql("UPDATE employability.job SET deleted_at = now()")
    sql(
        "INSERT INTO employability.company (cnpj, razao_social, nome_fantasia)"
        " VALUES ('90000003000118', 'Bem-Estar Ltda.', 'Clínica Bem-Estar')"
    )
    create(acao="publicar", titulo="Técnico 50%", bairro="São José", acessibilidade_pcd="para_pcd")
    create(acao="publicar", titulo="Copeira", id_contratante="90000003000118", bairro="Porto")
    create(titulo="Rascunho")
    assert found(http) == ["Copeira", "Técnico 50%"]
    assert found(http, search="TECNICO") == found(http, search="50%") == ["Técnico 50%"]
    assert found(http, search="%") == ["Técnico 50%"]
    assert found(http, bairro="sao jose,nenhum") == ["Técnico 50%"]
    assert found(http, acessibilidade_pcd="para_pcd,exclusivo_pcd") == ["Técnico 50%"]
    assert found(http, contratante="CLINICA") == ["Copeira"]
    assert found(http, contratante=f"{COMPANY},clinica") == ["Copeira", "Técnico 50%"]
    assert found(http, contratante="90.000.001/0001-29") == ["Técnico 50%"]
    assert found(http, data_publicacao="hoje") == ["Copeira", "Técnico 50%"]
    assert found(http, status="vaga_congelada") == []
    sql("UPDATE employability.job SET publicado_em = now() - interval '20 days' WHERE titulo = 'Copeira'")
    assert found(http, data_publicacao="ultima_semana") == ["Técnico 50%"]
    assert found(http, data_publicacao="ultimo_mes") == ["Técnico 50%", "Copeira"]
    page = http.get(PUBLIC, params={"pageSize": 1, "page": 2}).json()
    assert ([job["titulo"] for job in page["data"]], page["meta"]["total"]) == (["Copeira"], 2)


def test_jobs_are_listed_by_deadline_and_by_salary(http: httpx.Client, create: Create, sql: Sql) -> None:
    sql("UPDATE employability.job SET deleted_at = now()")
    now = datetime.now(UTC)
    for title, days, salary in (("A", 20, None), ("B", 10, 1800.5), ("C", 30, 2500), ("D", 15, 1800.49), ("E", 5, 900)):
        create(acao="publicar", titulo=title, data_limite=(now + timedelta(days=days)).isoformat(), valor_vaga=salary)
    sql("UPDATE employability.job SET data_limite = now() - interval '1 day' WHERE titulo = 'E'")
    assert found(http) == found(http, ordem="publicacao") == ["E", "D", "C", "B", "A"]
    assert found(http, ordem="prazo") == ["B", "D", "A", "C"]
    assert found(http, ordem="prazo", status="publicado_expirado") == []
    assert found(http, ordem="salario") == ["C", "B", "D", "E", "A"]
    assert found(http, ordem="salario", status="publicado_ativo") == ["C", "B", "D", "A"]
    pages = [http.get(PUBLIC, params={"ordem": "salario", "pageSize": 2, "page": page}).json() for page in (1, 2, 3)]
    assert [job["titulo"] for page in pages for job in page["data"]] == ["C", "B", "D", "E", "A"]
    assert {page["meta"]["total"] for page in pages} == {5}
    assert found(http, salario_minimo="1800.50") == ["C", "B"]
    assert found(http, salario_maximo="1800.49") == ["E", "D"]
    assert found(http, salario_minimo="1000", salario_maximo="2000", ordem="salario") == ["B", "D"]
    assert found(http, salario_minimo="3", salario_maximo="2") == []


def test_jobs_are_filtered_by_what_the_visitor_learned(http: httpx.Client, create: Create, sql: Sql) -> None:
    sql("UPDATE employability.job SET deleted_at = now()")
    middle, degree = (value(Kind.SCHOOLING, name) for name in ("Médio completo", "Superior completo"))
    create(acao="publicar", titulo="Qualquer")
    create(acao="publicar", titulo="Médio", id_escolaridade_minima=middle)
    areas = ["Nutrição", "Gastronomia"]
    create(acao="publicar", titulo="Superior", id_escolaridade_minima=degree, areas_formacao_elegibilidade=areas)
    assert found(http, id_escolaridade=degree) == ["Superior", "Médio", "Qualquer"]
    assert found(http, id_escolaridade=middle) == ["Médio", "Qualquer"]
    assert found(http, id_escolaridade=value(Kind.SCHOOLING, "Fundamental completo")) == ["Qualquer"]
    for unknown in (str(UUID(int=5)), value(Kind.CONTRACT_TYPE, "CLT")):
        assert found(http, id_escolaridade=unknown) == ["Qualquer"]
    assert found(http, area_formacao="NUTRICAO") == found(http, area_formacao="direito, gastronomia") == ["Superior"]
    assert found(http, area_formacao="nutri") == []


def test_facets_count_the_jobs_of_all_pages(http: httpx.Client, create: Create, sql: Sql) -> None:
    sql("UPDATE employability.job SET deleted_at = now()")
    middle, remote = value(Kind.SCHOOLING, "Médio completo"), value(Kind.WORK_MODEL, "Remoto")
    create(acao="publicar", bairro="São José", id_escolaridade_minima=middle, acessibilidade_pcd="para_pcd")
    create(acao="publicar", bairro="SAO JOSE", areas_formacao_elegibilidade=["Nutrição", "Direito"])
    create(acao="publicar", bairro="Centro", id_modelo_trabalho=remote, areas_formacao_elegibilidade=["NUTRICAO"])
    create(bairro="Rascunho")
    usual = http.get(PUBLIC).json()
    assert set(usual) == {"data", "meta"}
    names = "bairro,regime_contratacao,modelo_trabalho,escolaridade_minima,area_formacao,acessibilidade_pcd,bairro"
    answer = http.get(PUBLIC, params={"facetas": names, "pageSize": 1})
    assert answer.status_code == 200, answer.text
    counted = answer.json()
    assert counted["meta"]["total"] == 3
    values = {
        name: [(each["valor"], each["total"]) for each in each_of] for name, each_of in counted["facetas"].items()
    }
    assert values == {
        "bairro": [("SAO JOSE", 2), ("Centro", 1)],
        "regime_contratacao": [("CLT", 3)],
        "modelo_trabalho": [("Presencial", 2), ("Remoto", 1)],
        "escolaridade_minima": [("Médio completo", 1)],
        "area_formacao": [("NUTRICAO", 2), ("Direito", 1)],
        "acessibilidade_pcd": [("para_pcd", 1)],
    }  # fmt: skip
    assert counted["facetas"]["modelo_trabalho"][1]["id"] == remote
    assert {each["id"] for each in counted["facetas"]["bairro"]} == {None}
    narrowed = http.get(PUBLIC, params={"facetas": "bairro", "id_modelo_trabalho": remote}).json()
    assert narrowed["facetas"] == {"bairro": [{"valor": "Centro", "id": None, "total": 1}]}
    nothing = http.get(PUBLIC, params={"facetas": "bairro,area_formacao", "search": "nada disso"}).json()
    assert nothing["facetas"] == {"bairro": [], "area_formacao": []}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ordem", "titulo"),
        ("salario_minimo", "-1"),
        ("salario_minimo", "1e3"),
        ("salario_minimo", "1,50"),
        ("salario_maximo", "12345678901"),
        ("salario_maximo", "1.234"),
        ("salario_maximo", "٣"),
        ("id_escolaridade", "medio"),
        ("facetas", "bairro,salario"),
        ("area_formacao", ",".join("x" * 51)),
    ],
)
def test_a_malformed_filter_is_named(http: httpx.Client, name: str, wrong: str) -> None:
    assert refusal(http.get(PUBLIC, params={name: wrong})) == (400, f"{name}-invalid")


def test_the_list_of_staff_has_no_orders_of_visitors(create: Create, callers: Callers, http: httpx.Client) -> None:
    create(titulo="Sem salário")
    usual = http.get(BASE, headers=callers[EDITOR])
    with_order = http.get(BASE, headers=callers[EDITOR], params={"ordem": "salario", "facetas": "bairro"})
    assert with_order.json() == usual.json()


@pytest.mark.cases("employability", "39")
def test_today_begins_at_local_midnight() -> None:
    zone = ZoneInfo("America/Sao_Paulo")
    late = datetime(2026, 5, 11, 1, 30, tzinfo=UTC)  # 22:30 of the previous day in the city
    assert find_since("hoje", late, zone) == datetime(2026, 5, 10, 3, tzinfo=UTC)
    assert find_since("ultima_semana", late, zone) == datetime(2026, 5, 3, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("  Médico do trabalho / noite ", "medico-do-trabalho-noite"),
        ("!!!", "vaga"),
        ("x" * 90, "x" * 80),
        ("palavra " * 12, "-".join(["palavra"] * 10)),
        ("a" * 80 + " b", "a" * 80),
    ],
)
def test_a_slug_is_made_of_the_titles_words(title: str, slug: str) -> None:
    assert slugify(title) == slug
    assert parse_slug(f"{slug}-0123456789ab") == "0123456789ab"
