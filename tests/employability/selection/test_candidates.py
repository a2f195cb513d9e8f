"""The list of applications that staff see (rules: employability 2.7, 3.4, 5.6)."""

import asyncio
import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.page import Page
from balcao.employability.selection.candidates import service
from balcao.employability.selection.candidates.filters import CandidateFilters
from balcao.employability.selection.candidates.schemas import Candidates
from tests.employability.hiring.callers import ADMIN, CITIZEN, CURATED, EDITOR, FOREIGN, MACHINE, VISITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.hiring.job_bodies import OTHER
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, person
from tests.employability.selection.conftest import Apply, Publish
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.rules import read_values

# The number of candidates. At full size, it equals the number in a real export of a staff portal.
EXPORTED = size(350, 10_000)
STATUSES = ("candidatura_enviada", "aprovada", "reprovada", "vaga_congelada", "vaga_descontinuada")

List = Callable[..., dict[str, Any]]


@pytest.fixture
def listed(http: httpx.Client, callers: Callers) -> List:
    """Return a function that reads a page, by default as the editor."""

    def ask(who: str = EDITOR, **query: Any) -> dict[str, Any]:
        answer = http.get(BASE, params=query, headers=callers[who])
        assert answer.status_code == 200, answer.text
        page: dict[str, Any] = answer.json()
        return page

    return ask


_FILL = """
WITH made AS (
    INSERT INTO employability.application (id, cpf, nome, email, id_vaga, status, origem, created_at)
    SELECT gen_random_uuid(), lpad((70000000000 + number)::text, 11, '0'), 'Pessoa número ' || number,
        'pessoa' || number || '@teste.example', $1,
        (ARRAY['candidatura_enviada', 'aprovada', 'reprovada'])[1 + number % 3], 'cidadao',
        now() - number * interval '1 second'
    FROM generate_series(1, $2::int) AS number
    RETURNING id
)
INSERT INTO employability.application_content (id_candidatura, respostas, curriculo_snapshot)
SELECT id, '[]', $3::jsonb FROM made
"""
RESUME: dict[str, Any] = {
    "formacoes": [],
    "idiomas": [],
    "cursos_complementares": [],
    "experiencias": [],
    "conquistas": [],
    "situacao_interesses": None,
    "resumo_profissional": "Faço bolos. " * 40,
    "comportamento_atitudes": [],
    "area_atuacao_habilidade": [],
}


@pytest.fixture
def crowded(publish: Publish, sql: Sql) -> Iterator[dict[str, Any]]:
    """Yield a job with many candidates."""
    job = publish(titulo="Cozinheiro")
    sql(_FILL, job["id"], EXPORTED, json.dumps(RESUME))
    yield job
    sql("DELETE FROM employability.application WHERE id_vaga = $1", job["id"])


@pytest.mark.cases("employability", "57")
@pytest.mark.parametrize(("asked", "used"), read_values("employability", "57"))
def test_a_page_of_one_job_may_be_long_enough_for_an_export(
    listed: List, crowded: dict[str, Any], asked: str, used: int
) -> None:
    page = listed(vagaId=crowded["id"], pageSize=asked)
    assert page["meta"] == {"page": 1, "page_size": used, "total": EXPORTED}
    assert len({item["id"] for item in page["data"]}) == len(page["data"]) == min(used, EXPORTED)
    assert listed(pageSize=asked)["meta"]["page_size"] == min(used, 1_000)


def test_a_long_page_has_what_short_pages_have_in_their_order(
    listed: List, crowded: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"vagaId": crowded["id"], "pageSize": 250}
    assert service.CHUNK < 250
    long = listed(**query)
    monkeypatch.setattr(service, "CHUNK", 250)
    assert listed(**query) == long
    pages = [item for page in (1, 2, 3) for item in listed(vagaId=crowded["id"], pageSize=100, page=page)["data"]]
    assert pages[:250] == long["data"]
    newest_first = [(item["created_at"], item["id"]) for item in long["data"]]
    assert sorted(newest_first, reverse=True) == newest_first


def test_whom_a_page_shows_can_see_that_later(listed: List, crowded: dict[str, Any], events: Any) -> None:
    before = len(events("employability.list_applications"))
    shown = listed(vagaId=crowded["id"], pageSize=250)["data"]
    read = events("employability.list_applications")[before:]
    assert len(read) == len(shown) == 250
    assert {event["subject"] for event in read} == {f"***.{item['cpf'][3:6]}.{item['cpf'][6:9]}-**" for item in shown}
    assert {(event["action"], event["actor_kind"]) for event in read} == {("read", "staff")}


async def test_no_more_is_read_than_the_reader_takes(platform: Platform, crowded: dict[str, Any], events: Any) -> None:
    """The service reads the next part, and records the access to its people, only when the reader requests it."""
    before = len(await asyncio.to_thread(events, "test.export"))
    call = operator_call(platform, "test.export")
    page = await service.list_candidates(call, CandidateFilters(UUID(crowded["id"])), Page(1, 10_000))
    assert not isinstance(page, Candidates)
    parts = [await anext(page), await anext(page)]
    await page.aclose()
    assert len(json.loads(parts[0].removeprefix(b'{"data":') + b"]")) == service.CHUNK
    assert len(json.loads(b"[" + parts[1].removeprefix(b",") + b"]")) == service.CHUNK
    assert len(await asyncio.to_thread(events, "test.export")) - before == 2 * service.CHUNK < EXPORTED


async def test_an_export_needs_the_memory_of_a_part_of_it(platform: Platform, crowded: dict[str, Any]) -> None:
    """However many candidates are sent, the memory in use stays below a fixed limit."""
    call = operator_call(platform, "test.export")
    tracemalloc.start()
    try:
        page = await service.list_candidates(call, CandidateFilters(UUID(crowded["id"])), Page(1, 10_000))
        assert not isinstance(page, Candidates)
        sent = sum([len(part) async for part in page])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sent > EXPORTED * 2_000
    assert peak < 8 * 1024 * 1024


@pytest.mark.cases("employability", "58")
def test_the_counts_respect_every_filter_but_the_one_by_status(listed: List, crowded: dict[str, Any]) -> None:
    whole = listed(vagaId=crowded["id"])["resumo"]
    assert tuple(whole) == STATUSES
    assert sum(whole.values()) == EXPORTED
    approved = listed(vagaId=crowded["id"], status="aprovada")
    assert approved["resumo"] == whole
    assert approved["meta"]["total"] == whole["aprovada"]
    assert {item["status"] for item in approved["data"]} == {"aprovada"}
    some = listed(vagaId=crowded["id"], search="pessoa número 12")
    assert some["meta"]["total"] == sum(some["resumo"].values()) < EXPORTED


def test_the_state_of_the_job_is_counted_and_found_in_the_place_of_the_own(
    http: httpx.Client, callers: Callers, listed: List, crowded: dict[str, Any]
) -> None:
    for event, shown in (("freeze", "vaga_congelada"), ("discontinue", "vaga_descontinuada")):
        assert http.put(f"{JOBS}/{crowded['id']}/{event}", headers=callers[EDITOR]).status_code == 200
        page = listed(vagaId=crowded["id"], status=shown)
        assert page["resumo"] == dict.fromkeys(STATUSES, 0) | {shown: EXPORTED}
        assert page["meta"]["total"] == EXPORTED
        assert {item["status_anterior"] for item in page["data"]} <= set(STATUSES[:3])
        assert listed(vagaId=crowded["id"], status="aprovada")["data"] == []


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("PESSOA NUMERO 17 ", {"17"}),
        ("pessoa17@", {"17"}),
        ("%", set()),
        ("_essoa", set()),
        ("\\", set()),
        ("70000000017", {"17"}),
        ("700.000.000-17", {"17"}),
        ("7000000003", {str(number) for number in range(30, 40)}),
    ],
)
def test_a_search_finds_parts_of_name_and_address_and_beginnings_of_a_cpf(
    listed: List, crowded: dict[str, Any], search: str, found: set[str]
) -> None:
    data = listed(vagaId=crowded["id"], search=search, pageSize=100)["data"]
    names = {item["nome"].removeprefix("Pessoa número ") for item in data}
    if search.strip() in {"PESSOA NUMERO 17"}:
        names = {name for name in names if not name.startswith("17") or name == "17"}
    assert names == found


@pytest.mark.cases("employability", "59")
def test_an_item_shows_the_application_its_job_and_nothing_sensitive(
    http: httpx.Client, callers: Callers, listed: List, publish: Publish, apply: Apply, sql: Sql
) -> None:
    job, cpf = publish(), person(71)
    made = apply(job, cpf).json()
    record = {
        "nome": "Ana Beatriz Moreira",
        "celular": "+5521999990000",
        "endereco": {"bairro": "Centro"},
        "data_nascimento": "1997-05-20",
        "genero": "Mulher cisgênero",
        "raca": "Parda",
        "renda_familiar": "1 a 2 salários mínimos",
        "deficiencia": "Visual",
    }
    sql(
        "INSERT INTO employability.candidate (cpf, record) VALUES ($1, $2::jsonb)"
        " ON CONFLICT (cpf) DO UPDATE SET record = excluded.record",
        cpf,
        json.dumps(record),
    )
    (item,) = listed(vagaId=job["id"])["data"]
    info = item.pop("personal_info")
    assert item == {name: value for name, value in made.items() if name != "acoes_permitidas"}
    assert list(info) == ["nome", "nome_social", "email", "celular", "endereco"]
    assert (info["celular"], info["endereco"]["bairro"]) == ("+5521999990000", "Centro")
    whole = http.get(f"{BASE}/{made['id']}", headers=callers[EDITOR]).json()["personal_info"]
    assert whole["data_nascimento"] == "1997-05-20"
    assert [whole[name] for name in ("genero", "raca", "renda_familiar", "deficiencia")] == [None] * 4
    sensitive = http.get(f"{BASE}/{made['id']}", headers=callers[ADMIN]).json()
    assert sensitive["personal_info"]["raca"] in (None, "Parda")
    answer = http.get(f"{BASE}/{made['id']}", headers=callers[EDITOR])
    decided = http.put(f"{BASE}/{made['id']}/approve", headers=callers[EDITOR] | {"If-Match": answer.headers["ETag"]})
    assert decided.status_code == 200


@pytest.mark.cases("employability", "26")
def test_each_member_of_staff_sees_the_applications_of_their_departments(
    http: httpx.Client, callers: Callers, listed: List, create: Create, publish: Publish, apply: Apply
) -> None:
    own, foreign = publish(), create(ADMIN, acao="publicar", id_orgao_parceiro=OTHER)
    cpf = person(72)
    for job in (own, foreign):
        assert apply(job, cpf).status_code == 201
    seen = {
        who: [item["id_vaga"] for item in listed(who, cpf=cpf)["data"]] for who in (EDITOR, CURATED, FOREIGN, ADMIN)
    }
    assert seen == {
        EDITOR: [own["id"]],
        CURATED: [own["id"]],
        FOREIGN: [foreign["id"]],
        ADMIN: [foreign["id"], own["id"]],
    }
    assert listed(FOREIGN, vagaId=own["id"])["meta"]["total"] == 0
    assert sum(listed(FOREIGN, vagaId=own["id"])["resumo"].values()) == 0
    statuses = {who: http.get(BASE, headers=callers[who]).status_code for who in (VISITOR, CITIZEN, MACHINE)}
    assert statuses == {VISITOR: 401, CITIZEN: 403, MACHINE: 403}


def test_the_candidates_of_a_job_are_counted_by_step_and_status_and_nobody_is_read(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, events: Any
) -> None:
    job = publish()
    made = [apply(job, person(number)).json() for number in range(80, 84)]
    step = job["etapas"][1]["id"]
    for each in made[:2]:
        moved = http.put(f"{BASE}/{each['id']}/etapa", json={"id_etapa_atual": step}, headers=callers[EDITOR])
        assert moved.status_code == 200
    assert http.put(f"{BASE}/{made[0]['id']}/approve", headers=callers[EDITOR]).status_code == 200
    assert http.delete(f"{BASE}/{made[3]['id']}", headers=citizen(issuer, made[3]["cpf"])).status_code == 200
    before = len(events("employability.count_candidates"))

    def count(who: str = EDITOR) -> httpx.Response:
        return http.get(f"{JOBS}/{job['id']}/contagens", headers=callers[who])

    nothing = dict.fromkeys(STATUSES, 0)
    assert count().json() == {
        "total": 3,
        "etapas": [
            {"id_etapa": None, "titulo": None, "ordem": None, "total": 1}
            | {"situacoes": nothing | {"candidatura_enviada": 1}},
            {"id_etapa": job["etapas"][0]["id"], "titulo": "Currículo", "ordem": 1, "total": 0, "situacoes": nothing},
            {"id_etapa": step, "titulo": "Entrevista", "ordem": 2, "total": 2}
            | {"situacoes": nothing | {"candidatura_enviada": 1, "aprovada": 1}},
        ],
    }
    assert len(events("employability.count_candidates")) == before
    on_none = http.get(BASE, params={"vagaId": job["id"], "etapa_id": "nenhuma"}, headers=callers[EDITOR]).json()
    assert ([item["id"] for item in on_none["data"]], on_none["meta"]["total"]) == ([made[2]["id"]], 1)
    assert http.put(f"{JOBS}/{job['id']}/freeze", headers=callers[EDITOR]).status_code == 200
    assert count().json()["etapas"][2]["situacoes"] == nothing | {"vaga_congelada": 2}
    assert {who: count(who).status_code for who in (VISITOR, CITIZEN, MACHINE, FOREIGN)} == {
        VISITOR: 401,
        CITIZEN: 403,
        MACHINE: 403,
        FOREIGN: 404,
    }


@pytest.fixture
def asking(publish: Publish, apply: Apply, sql: Sql) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a job with three candidates who answered two questions, and the ids of the questions."""
    kinds: list[dict[str, Any]] = [
        {"titulo": "Anos?", "tipo_campo": "resposta_numerica"},
        {"titulo": "Turnos?", "tipo_campo": "selecao_multipla", "opcoes": ["Manhã", "Tarde", "Noite"]},
    ]
    job = publish(informacoes_complementares=kinds)
    years, shifts = (question["id"] for question in job["informacoes_complementares"])
    given = [("2", "Manhã, Noite"), ("10,5", "Tarde"), ("-1", "Manhã")]
    for number, (count, shift) in enumerate(given):
        answers = [{"id_info": years, "resposta": count}, {"id_info": shifts, "resposta": shift}]
        assert apply(job, person(90 + number), {"respostas_info_complementares": answers}).status_code == 201
    assert apply(job, person(93)).status_code == 201
    return job, {"anos": years, "turnos": shifts}


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        ("anos", {}, {90, 91, 92}),
        ("anos", {"resposta_minima": "2"}, {90, 91}),
        ("anos", {"resposta_maxima": "10.4"}, {90, 92}),
        ("anos", {"resposta_minima": "10,5", "resposta_maxima": "10,5"}, {91}),
        ("turnos", {"resposta": "manha"}, {90, 92}),
        ("turnos", {"resposta": "%"}, set()),
        ("turnos", {"resposta_minima": "0"}, set()),
    ],
)
def test_candidates_are_found_by_what_they_answered(
    listed: List, asking: Any, question: str, query: dict[str, str], found: set[int]
) -> None:
    job, questions = asking
    page = listed(vagaId=job["id"], id_info=questions[question], **query)
    assert {item["cpf"] for item in page["data"]} == {person(number) for number in found}
    assert page["meta"]["total"] == sum(page["resumo"].values()) == len(found)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"id_info": str(UUID(int=1))}, "vagaId-missing"),
        ({"vagaId": str(UUID(int=1)), "resposta": "sim"}, "id_info-missing"),
        (
            {"vagaId": str(UUID(int=1)), "id_info": str(UUID(int=1)), "resposta_minima": "1e9"},
            "resposta_minima-invalid",
        ),
        (
            {"vagaId": str(UUID(int=1)), "id_info": str(UUID(int=1)), "resposta_maxima": "dez"},
            "resposta_maxima-invalid",
        ),
        ({"vagaId": str(UUID(int=1)), "id_info": "abc"}, "id_info-invalid"),
    ],
)
def test_a_filter_by_an_answer_that_cannot_be_meant_is_refused(
    http: httpx.Client, callers: Callers, query: dict[str, str], code: str
) -> None:
    assert refusal(http.get(BASE, params=query, headers=callers[EDITOR])) == (400, code)


@pytest.mark.parametrize("query", [{"vagaId": "abc"}, {"etapa_id": "1"}, {"cpf": "123"}, {"status": "retirada"}])
def test_a_filter_that_cannot_be_meant_is_refused(http: httpx.Client, callers: Callers, query: dict[str, str]) -> None:
    (name,) = query
    answer = http.get(BASE, params=query, headers=callers[EDITOR])
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, f"{name}-invalid")
