"""The resume bank shows only people who accepted the terms, and every read is audited (rules: employability 2.11)."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.context.call import Call
from balcao.core.jobs.worker import Worker
from balcao.employability import SERVICE
from balcao.employability.resume.bank import service
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.settings import Settings
from tests.employability.people import citizen, staff
from tests.registry.import_rows import load
from tests.support.demo_people import ANA, BRUNO, CARLA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.operator_calls import acting
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer

BANK = "/jobs/api/v1/empregabilidade/banco-curriculos"
JOBS = "/jobs/api/v1/empregabilidade"
PEOPLE: list[dict[str, Any]] = [
    {
        "cpf": ANA,
        "nome": "Ana Beatriz Moreira",
        "nome_social": "Bia 100%",
        "nascimento": {"data": "1997-03-14"},
        "telefone": {"principal": {"ddi": "55", "ddd": "21", "valor": "900010175"}},
        "endereco": {"principal": {"logradouro": "das Acácias", "bairro": "Centro"}},
    },
    {"cpf": BRUNO, "nome": "Bruno Tavares", "telefone": {"principal": {"ddi": "351", "valor": "912345678"}}},
]
Bank = Callable[..., httpx.Response]
Events = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def asking(settings: Settings, database_url: str) -> Iterator[Settings]:
    """Yield settings with a registry that stores Ana and Bruno but not Carla."""
    [kind] = (kind for kind in IMPORTS if kind.kind == "citizens")
    load(database_url, kind, *PEOPLE)
    with RunningServer(app.build_application(settings, database_url, ["registry"])) as registry:
        yield settings.model_copy(update={"registry_url_override": f"{registry.url}/registry/v1"})


@pytest.fixture(scope="module")
def server(asking: Settings, database_url: str) -> Iterator[RunningServer]:
    with RunningServer(app.build_application(asking, database_url, [SERVICE.name])) as running:
        yield running


@pytest.fixture
def bank(http: httpx.Client, issuer: Issuer, sql: Sql) -> Bank:
    """Create resumes of Ana, Bruno and Carla and accept the terms, in this order.

    Return a function that calls as staff.
    """
    sql("DELETE FROM employability.terms_acceptance")
    sql("DELETE FROM employability.resume")
    job = {"cargo": "Padeiro", "empresa": "Aurora", "eh_trabalho_atual": True}
    for cpf in (ANA, BRUNO, CARLA):
        own = citizen(issuer, cpf)
        http.put(f"{JOBS}/termos-uso/{cpf}/accept", headers=own).raise_for_status()
        http.put(f"{JOBS}/curriculo/{cpf}/experiencias", json={"experiencias": [job]}, headers=own).raise_for_status()
    return lambda path="", **query: http.get(BANK + path, params=query, headers=staff(issuer, "go:admin"))


@pytest.fixture
def read_names(asking: Settings, database_url: str) -> Callable[[], None]:
    """Return a function that runs all due jobs, as the worker does."""

    def run() -> None:
        with acting(asking, database_url, "test.names") as act:
            act(lambda call: Worker(call.platform.database, app.list_job_kinds(), call.platform).drain())

    return run


def list_names(answer: httpx.Response) -> list[str | None]:
    assert answer.status_code == 200, answer.text
    return [person["nome"] for person in answer.json()["data"]]


def test_the_list_shows_who_accepted_newest_first_with_masked_numbers(
    bank: Bank, read_names: Callable[[], None], events: Events
) -> None:
    assert list_names(bank()) == [None, None, None]
    read_names()
    before = len(events("employability.list_bank"))
    found = bank(pageSize=2).json()
    assert found["meta"] == {"page": 1, "page_size": 2, "total": 3}
    assert [(one["cpf"], one["nome"]) for one in found["data"]] == [
        ("***.000.003-**", None),
        ("***.000.002-**", "Bruno Tavares"),
    ]
    shown = bank(page=2, pageSize=2).json()["data"][0]
    assert (shown["nome_social"], shown["profissao"], shown["escolaridade"]) == ("Bia 100%", "Padeiro", None)
    recorded = events("employability.list_bank")[before:]
    assert [(one["action"], one["subject"]) for one in recorded] == [
        ("read", "***.000.003-**"),
        ("read", "***.000.002-**"),
        ("read", "***.000.001-**"),
    ]


def test_a_search_folds_and_knows_no_pattern(bank: Bank, read_names: Callable[[], None]) -> None:
    read_names()
    for text, found in {
        "MOREÍRA": ["Ana Beatriz Moreira"],
        "bia 100%": ["Ana Beatriz Moreira"],
        "%": 1,
        "_": 0,
    }.items():
        names = list_names(bank(search=text))
        assert names == found if isinstance(found, list) else len(names) == found, text
    assert bank(search="tavares").json()["meta"]["total"] == 1


def test_a_person_is_shown_with_the_registrys_data_and_the_masked_resume(bank: Bank, events: Events) -> None:
    [entry] = [one for one in bank().json()["data"] if one["cpf"] == "***.000.001-**"]
    before = len(events("employability.read_bank_resume"))
    by_id, by_cpf = bank(f"/{entry['id'].upper()}"), bank("/900.000.001-75")
    assert by_id.json() == by_cpf.json()
    shown = by_cpf.json()
    assert (shown["nome"], shown["bairro"], shown["celular"]) == ("Ana Beatriz Moreira", "Centro", "21900010175")
    assert shown["idade"] >= 29
    assert shown["curriculo"]["experiencias"][0]["cpf"] == "***.000.001-**"
    assert ANA not in by_cpf.text
    assert bank(f"/{BRUNO}").json()["celular"] == "+351912345678"
    assert bank(f"/{CARLA}").json()["nome"] is None
    assert len(events("employability.read_bank_resume")) == before + 4


def test_who_revokes_the_terms_or_has_no_resume_is_not_in_the_bank(
    bank: Bank, http: httpx.Client, issuer: Issuer, read_names: Callable[[], None], sql: Sql
) -> None:
    read_names()
    http.delete(f"{JOBS}/termos-uso/{ANA}", headers=citizen(issuer)).raise_for_status()
    sql("DELETE FROM employability.resume WHERE cpf = $1", BRUNO)
    sql("UPDATE employability.terms_acceptance SET version = 'older' WHERE cpf = $1", CARLA)
    assert bank().json() == {"data": [], "meta": {"page": 1, "page_size": 10, "total": 0}}
    assert list_names(bank(search="a")) == []
    assert {refusal(bank(f"/{cpf}")) for cpf in (ANA, BRUNO, CARLA)} == {(404, "bank-entry-unknown")}
    assert sql("SELECT FROM employability.bank_person WHERE cpf = $1", ANA) == []


@pytest.mark.parametrize("key", ["x", "90000000176", "1234", "371848f1-6464-5e65-85a1-16e57b607d8"])
def test_what_is_neither_an_id_nor_a_cpf_is_refused(bank: Bank, key: str) -> None:
    assert refusal(bank(f"/{key}")) == (400, "id-invalid")


def test_citizens_and_editors_do_not_see_the_bank(http: httpx.Client, issuer: Issuer) -> None:
    for caller in (citizen(issuer), staff(issuer, "editor_sem_curadoria")):
        assert [http.get(BANK + path, headers=caller).status_code for path in ("", f"/{ANA}")] == [403, 403]


def test_a_registry_that_is_away_is_not_taken_for_missing_data(
    bank: Bank, settings: Settings, database_url: str, issuer: Issuer
) -> None:
    alone = settings.model_copy(update={"registry_url_override": "http://127.0.0.1:1/registry/v1"})
    with (
        RunningServer(app.build_application(alone, database_url, [SERVICE.name])) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        assert client.get(BANK, headers=staff(issuer)).status_code == 200
        answer = client.get(f"{BANK}/{ANA}", headers=staff(issuer))
    assert (answer.status_code, answer.headers["Error-Code"]) == (503, "service-away")


def test_names_are_read_again_after_some_days(
    bank: Bank, asking: Settings, database_url: str, read_names: Callable[[], None], sql: Sql
) -> None:
    read_names()
    sql("UPDATE employability.bank_person SET nome = 'Antes', read_at = now() - interval '8 days' WHERE cpf = $1", ANA)
    sql("UPDATE employability.bank_person SET nome = 'Antes' WHERE cpf = $1", BRUNO)

    async def refresh(call: Call) -> None:
        await service.refresh_names(call)
        await Worker(call.platform.database, app.list_job_kinds(), call.platform).drain()

    with acting(asking, database_url, "test.names") as act:
        act(refresh)
    assert list_names(bank()) == [None, "Antes", "Ana Beatriz Moreira"]
