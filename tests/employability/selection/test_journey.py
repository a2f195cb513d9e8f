"""The whole hiring process over HTTP, from the company to the approved candidate, with the calls of real portals."""

from typing import Any

import httpx
import pytest

from balcao.core.mail import MailFolder, create_mailer
from balcao.employability.reference_values.kinds import Kind
from balcao.settings import Settings
from tests.employability.hiring.callers import CURATED, EDITOR, VISITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.hiring.job_bodies import PUBLIC, describe_job, value
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, answer_all, person
from tests.employability.selection.conftest import Apply, Publish
from tests.support.fixture_types import Drain
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

ROOT = "/jobs/api/v1/empregabilidade"
COMPANY = "90000004000162"


def ok(answer: httpx.Response, status: int = 200) -> dict[str, Any]:
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url}: {answer.text}"
    body: dict[str, Any] = answer.json()
    return body


def test_from_a_company_to_an_approved_candidate(
    http: httpx.Client, issuer: Issuer, callers: Callers, drain: Drain, settings: Settings
) -> None:
    ana = person(901)
    own = citizen(issuer, ana)
    language = {
        "id_idioma": value(Kind.LANGUAGE, "Inglês"),
        "id_nivel_minimo": value(Kind.LANGUAGE_LEVEL, "Intermediário"),
    }
    company = {
        "cnpj": "90.000.004/0001-62",
        "razao_social": "Transportes Ponte Nova Ltda.",
        "nome_fantasia": "Ponte Nova",
    }
    assert ok(http.post(f"{ROOT}/empresas", json=company, headers=callers[CURATED]), 201)["cnpj"] == COMPANY
    body = describe_job(titulo="Guia bilíngue", id_contratante=COMPANY, idiomas_requisito=[language])
    job = ok(http.post(JOBS, json=body, params={"acao": "enviar_para_aprovacao"}, headers=callers[CURATED]), 201)
    path = f"{JOBS}/{job['id']}"
    assert http.get(f"{PUBLIC}/{job['id']}").status_code == 404
    assert http.put(f"{path}/publish", headers=callers[CURATED]).status_code == 403
    assert ok(http.put(f"{path}/publish", headers=callers[EDITOR]))["id"] == job["id"]
    (found,) = ok(http.get(PUBLIC, params={"search": "GUIA BILINGUE"}, headers=callers[VISITOR]))["data"]
    assert (found["id"], found["status"], found["contratante"]["nome_fantasia"]) == (
        job["id"],
        "publicado_ativo",
        "Ponte Nova",
    )

    application = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}
    refused = http.post(BASE, json=application, headers=own)
    assert [each["criterio"] for each in refused.json()["criterios_nao_atendidos"]] == ["termos_uso"]
    ok(http.put(f"{ROOT}/termos-uso/{ana}/accept", headers=own))
    low = {"id_idioma": language["id_idioma"], "id_nivel": value(Kind.LANGUAGE_LEVEL, "Básico")}
    ok(http.put(f"{ROOT}/curriculo/{ana}/idiomas", json=[low], headers=own))
    refused = http.post(BASE, json=application, headers=own)
    assert (refused.status_code, refused.headers["Error-Code"]) == (400, "not-eligible")
    assert [each["criterio"] for each in refused.json()["criterios_nao_atendidos"]] == ["idioma"]
    assert refused.json()["message"] == refused.json()["error"]
    high = low | {"id_nivel": value(Kind.LANGUAGE_LEVEL, "Avançado")}
    ok(http.put(f"{ROOT}/curriculo/{ana}/idiomas", json=[high], headers=own))
    made = ok(http.post(BASE, json=application, headers=own), 201)
    assert made["curriculo_snapshot"]["idiomas"][0]["nivel"]["descricao"] == "Avançado"
    drain()  # run the jobs now, because jobs that wait run in any order

    for step in job["etapas"]:
        body = {"id_etapa_atual": step["id"]}
        ok(http.put(f"{BASE}/{made['id']}/etapa", json=body, headers=callers[EDITOR]))
        drain()
    ok(http.put(f"{BASE}/{made['id']}/approve", headers=callers[EDITOR]))
    drain()
    folder = create_mailer(settings)
    assert isinstance(folder, MailFolder)
    written = [(email["To"], email["Subject"]) for email in folder.list_emails() if "Guia" in email["Subject"]]
    assert written == [
        ("pessoa@teste.example", "Candidatura recebida: Guia bilíngue"),
        ("pessoa@teste.example", "Nova etapa: Guia bilíngue"),
        ("pessoa@teste.example", "Nova etapa: Guia bilíngue"),
        ("pessoa@teste.example", "Candidatura aprovada: Guia bilíngue"),
    ]
    listing = ok(http.get(BASE, params={"vagaId": job["id"], "pageSize": 10_000}, headers=callers[EDITOR]))
    assert listing["meta"] == {"page": 1, "page_size": 10_000, "total": 1}
    assert [(item["cpf"], item["status"], item["etapa_atual"]["ordem"]) for item in listing["data"]] == [
        (ana, "aprovada", 2)
    ]
    (seen,) = ok(http.get(f"{BASE}/usuario/{ana}", headers=own))["data"]
    assert (seen["id"], seen["status"]) == (made["id"], "aprovada")


def test_a_portal_saves_and_publishes_in_one_go_and_duplicates_what_it_read(
    http: httpx.Client, callers: Callers, create: Create
) -> None:
    job = create()
    ok(http.put(f"{JOBS}/{job['id']}", json=describe_job(titulo="Novo título"), headers=callers[EDITOR]))
    published = ok(http.put(f"{JOBS}/{job['id']}/publish", headers=callers[EDITOR]))
    assert published.keys() == {"message", "id"}
    read = ok(http.get(f"{JOBS}/{job['id']}", headers=callers[EDITOR]))
    copy = ok(http.post(JOBS, json=read, headers=callers[EDITOR]), 201)
    assert copy["id"] != job["id"]
    assert (copy["status"], copy["titulo"]) == ("em_edicao", "Novo título")
    assert [step["titulo"] for step in copy["etapas"]] == [step["titulo"] for step in read["etapas"]]


def test_a_portal_lets_people_apply_again_and_shows_only_what_lives(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply
) -> None:
    job, cpf = publish(), person(902)
    own = citizen(issuer, cpf)
    first = ok(apply(job, cpf), 201)
    ok(http.delete(f"{BASE}/{first['id']}", headers=own))
    assert ok(http.get(f"{BASE}/usuario/{cpf}", params={"vagaId": job["id"]}, headers=own))["data"] == []
    second = ok(apply(job, cpf), 201)
    (shown,) = ok(http.get(f"{BASE}/usuario/{cpf}", params={"vagaId": job["id"]}, headers=own))["data"]
    assert shown["id"] == second["id"] != first["id"]


def test_a_portal_knows_why_a_company_is_refused_and_empties_interests(
    http: httpx.Client, issuer: Issuer, callers: Callers, create: Create
) -> None:
    job = create()
    again = {"cnpj": job["id_contratante"], "razao_social": "Padaria Aurora Ltda."}
    twice = http.post(f"{ROOT}/empresas", json=again, headers=callers[EDITOR])
    assert refusal(twice) == (409, "employer-exists")
    assert twice.json()["error"].endswith("(duplicate key 23505)")
    used = http.delete(f"{ROOT}/empresas/{job['id_contratante']}", headers=callers["administrator"])
    assert refusal(used) == (409, "employer-in-use")
    assert used.json()["error"].endswith("(foreign key constraint 23503)")
    own = citizen(issuer, person(903))
    interests = f"{ROOT}/curriculo/situacao-interesses"
    ok(http.put(interests, json={"tempo_procurando_emprego": "UP_TO_6"}, headers=own))
    emptied = ok(http.put(interests, json={}, headers=own))
    assert (emptied["tempo_procurando_emprego"], emptied["ids_tipos_vinculo_preferencia"]) == (None, [])


@pytest.mark.parametrize("query", [{}, {"vagaId": "job"}, {"etapa_id": "step"}, {"status": "candidatura_enviada"}])
def test_no_filter_shows_a_citizen_what_is_another_persons(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, query: dict[str, str]
) -> None:
    job = publish()
    made = ok(apply(job, person(904)), 201)
    step = job["etapas"][0]["id"]
    ok(http.put(f"{BASE}/{made['id']}/etapa", json={"id_etapa_atual": step}, headers=callers[EDITOR]))
    other = person(905)
    asked = {name: {"job": job["id"], "step": step}.get(text, text) for name, text in query.items()}
    own = citizen(issuer, other)
    seen = ok(http.get(f"{BASE}/usuario/{other}", params=asked, headers=own))
    assert (seen["data"], sum(seen["resumo"].values())) == ([], 0)
    for path in (BASE, f"{ROOT}/candidatura-bloqueios", f"{BASE}/usuario/{person(904)}"):
        assert http.get(path, params=asked, headers=own).status_code == 403
    for part in ("", "/historico"):
        assert refusal(http.get(f"{BASE}/{made['id']}{part}", headers=own)) == (404, "application-unknown")
