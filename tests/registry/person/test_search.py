"""The search for a citizen at the counter, over HTTP (rules: registry 2.12, 4.14)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from balcao.core.context.audit import Audit, HashKey
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens.imports import IMPORTS
from balcao.registry.person.search import handles
from balcao.registry.person.tickets.imports import IMPORTS as TICKETS
from balcao.settings import Settings
from tests.registry.import_rows import load
from tests.registry.person.phone_book_calls import Book
from tests.registry.registry_client import RegistryClient
from tests.support.demo_people import ANA, BRUNO, CARLA, KLEBER, LUIZ
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

SEARCH, IDENTIFY = "/admin/citizens/search", "/admin/citizens/identify"
WHY = "Atendimento 4711"
ALLOWED = 5
BORN = "1972-02-20"
# 55 21 9 8800-7701, which three sources write in different ways.
NUMBER = "5521988007701"


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address, data_dir=tmp_path_factory.mktemp("data"), enumeration_limit=f"{ALLOWED}/5 minutes"
    )


SORTED = ["José da Silva Abreu", "Jose da Silva Braga", "jose da Silva Costa", "José da Silva Évora"]


def write_person(cpf: str, **members: Any) -> dict[str, Any]:
    return {"cpf": cpf, "_id": cpf, "source": "test", **members}


@pytest.fixture(scope="module", autouse=True)
def _city(database_url: str) -> None:
    people = [
        write_person(CARLA, nome="Carla Nogueira de Sá", nome_social="Léo Nogueira", nascimento={"data": BORN}),
        write_person(BRUNO, nome="Bruno Tavares", nascimento={"data": f"{BORN}T00:00:00-03:00"}),
        write_person(
            ANA,
            nome="Ana Beatriz",
            telefone={"principal": {"ddi": "55", "ddd": "21", "valor": "98800-7701"}, "alternativo": []},
        ),
        *(
            write_person(Cpf.with_stem(f"96{each:07}").digits, nome=name, nascimento={"data": BORN})
            for each, name in enumerate(SORTED[::-1])
        ),
        *(
            write_person(Cpf.with_stem(f"95{each:07}").digits, nome=f"Maria da Silva {each}", nascimento={"data": BORN})
            for each in range(6)
        ),
    ]
    load(database_url, IMPORTS[0], *people)
    ticket = {"cpf": BRUNO, "id": "t1", "id_chamado": "20250000071", "status": "Aberto", "data_inicio": "2026-03-01"}
    load(database_url, TICKETS[0], ticket)


@pytest.fixture
def attendant(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


def search(who: RegistryClient, why: str | None = WHY, **body: str) -> httpx.Response:
    return who("POST", SEARCH, body, **({"X_Access_Reason": why} if why else {}))


def find(who: RegistryClient, **body: str) -> list[tuple[str, str]]:
    answer = search(who, **body)
    assert answer.status_code == 200, answer.text
    return [(one["cpf"], one["name"]) for one in answer.json()["data"]]


def test_people_of_one_name_are_listed_as_brazilians_sort(attendant: RegistryClient) -> None:
    assert [name for _, name in find(attendant, name="jose silva", birth_date=BORN)] == SORTED


LEO = (Cpf(CARLA).masked, "Léo Nogueira")


@pytest.mark.cases("registry", "F1")
@pytest.mark.parametrize(
    "name", ["Carla Nogueira", "carla NOGUEIRA", " Léo  nogueira ", "leo sa", "Carla de Sá Nogueira"]
)
def test_a_citizen_is_found_by_whole_words_of_the_name_and_the_day_of_birth(
    http: httpx.Client, issuer: Issuer, name: str
) -> None:
    who = RegistryClient(http, issuer.admin(LUIZ))
    assert find(who, name=name, birth_date=BORN) == [LEO]
    if name == "Carla Nogueira":
        assert find(who, name="Carl Nogueira", birth_date=BORN) == []
        assert find(who, name="Nogueira Carla", birth_date=BORN) == []
        assert find(who, name=name, birth_date="1972-02-21") == []
        assert find(who, name="Bruno Tavares", birth_date=BORN) == [(Cpf(BRUNO).masked, "Bruno Tavares")]
        assert refusal(search(who, name="Carla", birth_date=BORN)) == (400, "name-incomplete")


@pytest.mark.cases("registry", "F2")
def test_a_ticket_and_a_phone_lead_to_their_person(
    http: httpx.Client, issuer: Issuer, sql: Sql, attendant: RegistryClient
) -> None:
    assert find(attendant, protocol=" 20250000071 ") == [(Cpf(BRUNO).masked, "Bruno Tavares")]
    for written in ("+55 (21) 98800-7701", "21 98800 7701", "2188007701"):
        assert find(attendant, phone=written) == [(Cpf(ANA).masked, "Ana Beatriz")]
    book = Book(http, issuer, sql, NUMBER)
    book.prove(BRUNO)
    assert find(attendant, phone=NUMBER) == [(Cpf(BRUNO).masked, "Bruno Tavares")]
    book.quarantine()
    assert find(attendant, phone=NUMBER) == find(attendant, phone="552188007701") == []
    book.release()
    assert find(attendant, phone=NUMBER) == [(Cpf(ANA).masked, "Ana Beatriz")]


@pytest.mark.cases("registry", "F3")
def test_more_than_five_are_refused_and_none_is_shown(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    sql("DELETE FROM platform.audit_event")
    answer = search(RegistryClient(http, issuer.admin(CARLA)), name="Maria Silva", birth_date=BORN)
    assert refusal(answer) == (400, "search-too-broad")
    assert set(answer.json()) == {"error"}
    trail = sql("SELECT operation, subject, fields, reason FROM platform.audit_event")
    assert [tuple(event) for event in trail] == [("registry.search_citizens", None, ["found_by_name"], WHY)]


@pytest.mark.cases("registry", "F4")
def test_only_people_who_say_why_may_search(http: httpx.Client, issuer: Issuer, attendant: RegistryClient) -> None:
    wanted = {"name": "Carla Nogueira", "birth_date": BORN}
    assert refusal(search(attendant, None, **wanted)) == (400, "access-reason-missing")
    assert refusal(search(attendant, "Ligou de 21 98800-7701", **wanted)) == (400, "access-reason-personal")
    machine = RegistryClient(http, issuer.machine("painel-saude", realm_access={"roles": ["admin"]}))
    assert refusal(search(machine, **wanted)) == (403, "people-only")
    assert search(RegistryClient(http, issuer.person(CARLA)), **wanted).status_code == 403


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "search-way"),
        ({"name": "Carla Nogueira"}, "search-way"),
        ({"protocol": "20250000071", "phone": NUMBER}, "search-way"),
        ({"name": "Carla Nogueira", "birth_date": "20/02/1972"}, "birth_date-invalid"),
        ({"protocol": "2025"}, "protocol-length"),
        ({"phone": "98800-7701x"}, "phone-invalid"),
    ],
)
def test_what_is_no_whole_thing_is_refused(attendant: RegistryClient, body: dict[str, str], code: str) -> None:
    assert refusal(search(attendant, **body)) == (400, code)


def test_who_was_found_sees_it_and_who_was_chosen_sees_that_too(
    http: httpx.Client, issuer: Issuer, attendant: RegistryClient, sql: Sql
) -> None:
    sql("DELETE FROM platform.audit_event")
    handle = search(attendant, name="Carla Nogueira", birth_date=BORN).json()["data"][0]["handle"]
    assert CARLA not in handle
    assert attendant.ok("POST", IDENTIFY, {"handle": handle}, X_Access_Reason=WHY) == {"cpf": CARLA}
    seen = RegistryClient(http, issuer.person(CARLA)).ok("GET", f"/citizen/{CARLA}/data-access")["data"]
    assert [(event["operation"], event["fields"], event["reason"]) for event in seen] == [
        ("registry.identify_citizen", ["cpf"], WHY),
        ("registry.search_citizens", ["found_by_name"], WHY),
    ]


@pytest.mark.cases("registry", "F5")
def test_a_handle_is_good_for_who_searched_and_for_a_quarter_of_an_hour(
    http: httpx.Client, issuer: Issuer, attendant: RegistryClient
) -> None:
    handle = search(attendant, name="Carla Nogueira", birth_date=BORN).json()["data"][0]["handle"]
    other = RegistryClient(http, issuer.admin(BRUNO))
    for who, tried in ((other, handle), (attendant, handle[:-2]), (attendant, "x"), (attendant, "")):
        answer = who("POST", IDENTIFY, {"handle": tried}, X_Access_Reason=WHY)
        assert refusal(answer) == (404, "handle-unknown")
    audit, now = Audit(HashKey(b"x" * 32, 1)), datetime.now(UTC)
    sealed = handles.seal_handle(audit, Cpf(CARLA), "luiz", now)
    assert handles.open_handle(audit, sealed, "luiz", now + timedelta(minutes=14)) == Cpf(CARLA)
    assert handles.open_handle(audit, sealed, "luiz", now + timedelta(minutes=15)) is None


@pytest.mark.cases("registry", "F6")
def test_who_tries_one_after_the_other_is_blocked(http: httpx.Client, issuer: Issuer) -> None:
    prober = RegistryClient(http, issuer.admin(KLEBER, sub="prober"))
    for day in range(1, ALLOWED + 2):
        assert find(prober, name="Carla Nogueira", birth_date=f"1980-01-{day:02}") == []
    assert refusal(search(prober, name="Carla Nogueira", birth_date=BORN)) == (429, "enumeration")
    assert refusal(prober("GET", f"/citizen/{ANA}", X_Access_Reason=WHY)) == (429, "enumeration")
    assert find(RegistryClient(http, issuer.admin(LUIZ, sub="other")), name="Carla Nogueira", birth_date=BORN) == [LEO]
