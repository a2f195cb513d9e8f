"""The signed calls that notify senders of opt-outs (rules: registry 4.19)."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from standardwebhooks import Webhook

from balcao.core.context.platform import assemble
from balcao.registry import SERVICE
from balcao.registry.consent.opt_outs import service
from balcao.settings import Settings
from tests.registry.person.phone_book_calls import BRUNO, Book, load_people, new_number
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.registry.senders.sender_calls import Sender
from tests.support.fixture_types import Drain, Sql
from tests.support.http_receiver import Receiver
from tests.support.issuer import Issuer
from tests.support.open_platform import opened
from tests.support.refusals import refusal
from tests.support.webhook_bodies import check_described

PATH = "/admin/opt-out-webhooks"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return Settings(auth_issuer=issuer.address, data_dir=folder, webhook_private_addresses=True)


@pytest.fixture
def staff(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


@pytest.fixture
def receiver(sql: Sql) -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
    sql("DELETE FROM registry.opt_out_webhook")
    sql("DELETE FROM queue.pgqueuer")


@pytest.fixture
def follow(staff: RegistryClient, receiver: Receiver) -> Callable[..., dict[str, Any]]:
    """Return a function that adds a webhook for the receiver."""
    return lambda **members: staff.ok("POST", PATH, {"url": f"{receiver.url}/told"} | members)


@pytest.fixture
def cpf(sql: Sql) -> str:
    found = new_cpf()
    sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, '{}', 'test')", found)
    return found


@pytest.fixture
def choose(http: httpx.Client, issuer: Issuer, cpf: str) -> Callable[..., None]:
    citizen = RegistryClient(http, issuer.person(cpf))
    path = f"/citizen/{cpf}/notification-preferences"
    return lambda **members: citizen.ok("PUT", path, {"channel": "web"} | members)


def told(receiver: Receiver, secret: str) -> list[dict[str, Any]]:
    """Verify every received message, and return their data in the order of the opt-outs."""
    messages = [Webhook(secret).verify(each.body, dict(each.headers)) for each in receiver.received]
    for message in messages:
        check_described(SERVICE, message)
    data = [message["data"] for message in messages]
    return sorted(data, key=lambda each: (each.get("at", ""), each.get("scope", "")))


@pytest.mark.cases("registry", "U21")
def test_an_opt_out_is_told_by_the_reference_that_the_check_gave(
    follow: Callable[..., dict[str, Any]],
    choose: Callable[..., None],
    sender: Sender,
    receiver: Receiver,
    drain: Drain,
    cpf: str,
) -> None:
    secret = follow()["secret"]
    (found,) = sender.check("alerts", cpfs=[cpf])
    choose(opt_in=False, category_opt_ins={"alerts": False, "courses": True})
    drain()
    data = told(receiver, secret)
    assert [(each["scope"], each["category"], each["recipients"]) for each in data] == [
        ("all", None, [found["reference"]]),
        ("category", "alerts", [found["reference"]]),
    ]
    assert not any(cpf.encode() in each.body for each in receiver.received)


@pytest.mark.long
@pytest.mark.cases("registry", "U21")
def test_the_opt_out_of_a_person_names_their_numbers_and_that_of_a_number_only_the_number(
    follow: Callable[..., dict[str, Any]],
    http: httpx.Client,
    issuer: Issuer,
    sender: Sender,
    receiver: Receiver,
    drain: Drain,
    database_url: str,
    sql: Sql,
) -> None:
    load_people(database_url)
    secret, book = follow()["secret"], Book(http, issuer, sql, new_number())
    book.prove(BRUNO)
    book.opt_in(BRUNO)
    of_person = sender.check("services", cpfs=[BRUNO])[0]["reference"]
    of_number = sender.check("services", phones=[book.number])[0]["reference"]
    path = f"/citizen/{BRUNO}/notification-preferences/categories/services"
    RegistryClient(http, issuer.person(BRUNO)).ok("PATCH", path, {"channel": "web", "opt_in": False})
    drain()  # the job lists the numbers that have consent when it runs
    book.opt_out("too_many_messages")
    book.opt_in(BRUNO)
    book.quarantine()
    drain()
    assert [(each["scope"], each["recipients"]) for each in told(receiver, secret)] == [
        ("category", [of_person, of_number]),
        ("phone", [of_number]),
        ("phone", [of_number]),
    ]
    assert of_person != of_number


@pytest.mark.long
@pytest.mark.cases("registry", "U22")
def test_a_webhook_gets_the_opt_outs_of_its_categories_and_no_opt_in(
    follow: Callable[..., dict[str, Any]], choose: Callable[..., None], receiver: Receiver, drain: Drain
) -> None:
    secret = follow(categories=["alerts"])["secret"]
    choose(category_opt_ins={"courses": True, "alerts": False})
    choose(category_opt_ins={"courses": False, "alerts": True})
    choose(opt_in=False)
    choose(opt_in=True)
    drain()
    assert [(each["scope"], each["category"]) for each in told(receiver, secret)] == [
        ("category", "alerts"),
        ("all", None),
    ]


@pytest.mark.cases("registry", "U22")
def test_one_click_is_told_too(
    follow: Callable[..., dict[str, Any]],
    sender: Sender,
    http: httpx.Client,
    receiver: Receiver,
    drain: Drain,
    cpf: str,
) -> None:
    secret = follow()["secret"]
    (found,) = sender.check("alerts", cpfs=[cpf])
    for _ in range(2):
        http.post(urlsplit(found["unsubscribe"]).path)
    drain()
    assert [each["recipients"] for each in told(receiver, secret)] == [[found["reference"]]]


@pytest.mark.cases("registry", "U23")
def test_without_a_webhook_an_opt_out_leaves_no_job(
    choose: Callable[..., None], follow: Callable[..., dict[str, Any]], sql: Sql, staff: RegistryClient
) -> None:
    choose(opt_in=False)
    follow(active=False)
    choose(opt_in=True)
    choose(opt_in=False)
    assert sql("SELECT FROM queue.pgqueuer WHERE entrypoint LIKE 'registry.%opt_out'") == []


@pytest.mark.cases("registry", "U23")
def test_an_announcement_that_runs_twice_sends_one_message(
    follow: Callable[..., dict[str, Any]],
    choose: Callable[..., None],
    settings: Settings,
    database_url: str,
    receiver: Receiver,
    drain: Drain,
    sql: Sql,
) -> None:
    follow()
    choose(opt_in=False)
    (job,) = sql("SELECT payload FROM queue.pgqueuer WHERE entrypoint = 'registry.announce_opt_out'")
    asyncio.run(_announce(settings, database_url, json.loads(job["payload"])))
    drain()
    assert len(receiver.received) == 1


async def _announce(settings: Settings, database_url: str, payload: dict[str, Any]) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        await service.announce_opt_out(platform, payload)


@pytest.mark.cases("registry", "U24")
def test_staff_who_maintain_categories_maintain_the_webhooks(
    http: httpx.Client, issuer: Issuer, staff: RegistryClient, receiver: Receiver, drain: Drain
) -> None:
    body = {"url": receiver.url, "description": "Envios", "categories": ["health"]}
    assert RegistryClient(http, issuer.person(BRUNO))("POST", PATH, body).status_code == 403
    assert RegistryClient(http, issuer.machine("envios", "rmi:consentimento:check"))("GET", PATH).status_code == 403
    added = staff.ok("POST", PATH, body)
    shown = {name: value for name, value in added.items() if name != "secret"}
    assert staff.ok("GET", PATH) == {"data": [shown]}
    assert staff.ok("GET", f"{PATH}/{added['id']}") == shown
    changed = staff.ok("PUT", f"{PATH}/{added['id']}", {"url": receiver.url})
    assert (changed["categories"], changed["description"], changed["active"]) == ([], None, True)
    renewed = staff.ok("POST", f"{PATH}/{added['id']}/secret")["secret"]
    assert staff("POST", f"{PATH}/{added['id']}/test").status_code == 202
    drain()
    assert told(receiver, renewed) == told(receiver, added["secret"]) == [{"webhook": added["id"]}]
    assert staff("DELETE", f"{PATH}/{added['id']}").status_code == 204
    for method, path in [("GET", ""), ("DELETE", ""), ("POST", "/secret"), ("POST", "/test")]:
        assert refusal(staff(method, f"{PATH}/{added['id']}{path}")) == (404, "webhook-not-found")
    assert refusal(staff("PUT", f"{PATH}/{UNKNOWN}", body)) == (404, "webhook-not-found")


REFUSED: list[tuple[Any, tuple[int, str]]] = [
    ({}, (400, "body-invalid")),
    ({"url": "ftp://a.example"}, (400, "url-invalid")),
    ({"url": "https://user:word@a.example"}, (400, "url-invalid")),
    ({"url": f"https://a.example/{'x' * 500}"}, (400, "url-invalid")),
    ({"url": "https://a.example", "categories": ["Não"]}, (400, "categories-invalid")),
    ({"url": "https://a.example", "categories": ["health"] * 101}, (400, "categories-invalid")),
    ({"url": "https://a.example", "categories": ["nobody_knows"]}, (422, "category-unknown")),
    ({"url": "https://a.example", "description": "x" * 201}, (400, "description-length")),
    ({"url": "https://a.example", "active": None}, (400, "body-invalid")),
]


@pytest.mark.cases("registry", "U24")
@pytest.mark.parametrize(("body", "expected"), REFUSED, ids=range(len(REFUSED)))
def test_a_bad_webhook_is_refused_and_stored_nowhere(
    staff: RegistryClient, body: Any, expected: tuple[int, str], sql: Sql
) -> None:
    assert refusal(staff("POST", PATH, body)) == expected
    assert sql("SELECT FROM registry.opt_out_webhook") == []
