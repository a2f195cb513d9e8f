"""Clients that are configured as messengers for the phone book, over HTTP (rules: registry 4.13)."""

from collections.abc import Iterator

import httpx
import pytest

from balcao import app
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from tests.registry.person.phone_book_calls import Book, load_people, new_number
from tests.registry.registry_client import RegistryClient
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer

MESSENGER, OTHER_MACHINE = "portal-servidor", "portal-cidadao"
ALLOWED = 20
WRONG_PERSON = {"channel": "whatsapp", "reason": "incorrect_person"}
OPT_OUT = {"channel": "whatsapp", "reason": "too_many_messages"}


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    changes = {"messenger_clients_csv": MESSENGER, "enumeration_limit": f"{ALLOWED}/5 minutes"}
    return settings.model_copy(update=changes)


@pytest.fixture
def book(http: httpx.Client, issuer: Issuer, sql: Sql, database_url: str) -> Book:
    load_people(database_url)
    return Book(http, issuer, sql, new_number())


@pytest.fixture
def messenger(http: httpx.Client, issuer: Issuer, book: Book) -> RegistryClient:
    """Return a messenger for which no other test has counted a miss."""
    return RegistryClient(http, issuer.machine(MESSENGER, sub=f"messenger-{book.number}"))


@pytest.fixture(scope="module")
def unlisted(settings: Settings, database_url: str) -> Iterator[httpx.Client]:
    """Yield a client of a server without configured messengers, which is the default."""
    by_default = settings.model_copy(update={"messenger_clients_csv": ""})
    with (
        RunningServer(app.build_application(by_default, database_url, ["registry"])) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as http,
    ):
        yield http


def list_calls(book: Book, who: RegistryClient) -> list[httpx.Response]:
    """Make every call that a messenger may make, and return the responses."""
    return [
        who("GET", f"/phone/{book.number}/status"),
        book.post("bind", {"cpf": ANA, "channel": "whatsapp"}, who),
        book.post("opt-out", OPT_OUT, who),
    ]


@pytest.mark.cases("registry", "N16")
def test_only_a_listed_machine_uses_the_phone_book_and_by_default_none_is_listed(
    book: Book, messenger: RegistryClient, http: httpx.Client, unlisted: httpx.Client, issuer: Issuer
) -> None:
    book.prove(ANA)
    assert Settings().client_lists["BALCAO_MESSENGER_CLIENTS"] == frozenset()
    assert [answer.status_code for answer in list_calls(book, messenger)] == [200] * 3
    others = [
        RegistryClient(unlisted, issuer.machine(MESSENGER)),
        RegistryClient(http, issuer.machine(OTHER_MACHINE, "rmi:telefone:read")),
        RegistryClient(http, issuer.person(BRUNO, azp=MESSENGER)),
        RegistryClient(http, issuer.login(azp=MESSENGER)),
    ]
    for other in others:
        assert [answer.status_code for answer in list_calls(book, other)] == [403] * 3


def test_a_mobile_number_without_its_ninth_digit_is_the_same_number(
    book: Book, messenger: RegistryClient, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    book.number = book.number[:5] + "8" + book.number[6:]  # after the ninth digit, a mobile number has 6 to 9
    short = Book(http, issuer, sql, book.number[:4] + book.number[5:])
    short.prove(ANA)
    book.opt_in(ANA)
    assert short.status() == book.status()
    assert (short.status()["phone_number"], short.status()["opt_in"]) == (f"+{book.number}", True)
    assert messenger("POST", f"/phone/{short.number}/opt-out", OPT_OUT).json()["status"] == "opted_out"
    assert book.status()["opt_in"] is False
    landline = Book(http, issuer, sql, "552133330001")
    landline.prove(BRUNO)
    assert landline.status()["phone_number"] == "+552133330001"


@pytest.mark.cases("registry", "N17")
def test_a_messenger_learns_whether_it_may_write_and_not_who_has_the_number(
    book: Book, messenger: RegistryClient
) -> None:
    book.prove(ANA)
    book.opt_in(ANA)
    path = f"/phone/{book.number}/status"
    assert messenger.ok("GET", path) == book.status() | {"cpf": None, "name": None}
    assert book.status()["cpf"] == Cpf(ANA).masked
    assert messenger.ok("GET", path)["opt_in"] is True


@pytest.mark.cases("registry", "N17")
def test_a_messenger_confirms_a_number_only_for_whom_a_code_has_proven_it(
    book: Book, messenger: RegistryClient
) -> None:
    def confirm(cpf: str) -> httpx.Response:
        return book.post("bind", {"cpf": cpf, "channel": "whatsapp"}, messenger)

    not_confirmed = (409, "phone-not-confirmed")
    assert refusal(confirm(ANA)) == not_confirmed
    book.bind_own(ANA)
    assert refusal(confirm(ANA)) == not_confirmed
    book.prove(ANA)
    assert confirm(ANA).json()["cpf"] == Cpf(ANA).masked
    assert refusal(confirm(BRUNO)) == not_confirmed
    assert book.status()["cpf"] == Cpf(ANA).masked


@pytest.mark.cases("registry", "N18")
def test_a_messenger_records_opt_outs_and_never_consent(book: Book, messenger: RegistryClient, sql: Sql) -> None:
    book.prove(ANA)
    book.opt_in(ANA)
    assert book.post("opt-out", OPT_OUT, messenger).json() == {"status": "opted_out"}
    assert book.status()["opt_in"] is False
    found = sql(
        "SELECT action, actor_kind, azp FROM registry.phone_book_entry WHERE number LIKE $1 ORDER BY at DESC LIMIT 1",
        f"%{book.number[-4:]}",
    )
    assert tuple(found[0]) == ("opt_out", "client", MESSENGER)
    denied = [
        book.post("opt-in", {"cpf": ANA, "channel": "whatsapp"}, messenger),
        book.post("reject-registration", {"cpf": ANA, "channel": "whatsapp"}, messenger),
        book.post("validate-registration", {}, messenger),
        book.post("quarantine", None, messenger),
        messenger("DELETE", f"/phone/{book.number}/quarantine"),
        messenger("GET", f"/phone/{book.number}/citizen"),
        messenger("GET", f"/phone/{book.number}/notification-preferences"),
        messenger("PUT", f"/phone/{book.number}/notification-preferences", {"channel": "web", "opt_in": True}),
        messenger("GET", "/admin/phone/quarantined"),
        messenger("GET", f"/citizen/{ANA}"),
    ]
    assert [answer.status_code for answer in denied] == [403] * len(denied)
    assert book.post("opt-out", WRONG_PERSON, messenger).json() == {"status": "opted_out"}
    assert book.status()["quarantined"] is True


@pytest.mark.cases("registry", "N19")
@pytest.mark.parametrize("what", ["status", "bind", "opt-out"])
def test_a_messenger_that_tries_one_number_after_the_other_is_stopped(
    book: Book, messenger: RegistryClient, http: httpx.Client, issuer: Issuer, what: str
) -> None:
    def ask(number: str) -> httpx.Response:
        if what == "status":
            return messenger("GET", f"/phone/{number}/status")
        body = OPT_OUT if what == "opt-out" else {"cpf": ANA, "channel": "whatsapp"}
        return messenger("POST", f"/phone/{number}/{what}", body)

    book.prove(ANA)
    for _ in range(ALLOWED + 5):
        assert ask(book.number).status_code == 200  # a known number is not a miss
    for _ in range(ALLOWED + 1):
        assert ask(new_number()).status_code in {200, 409}
    assert refusal(ask(book.number)) == (429, "enumeration")
    another = RegistryClient(http, issuer.machine(MESSENGER, sub=f"another-{book.number}"))
    assert another("GET", f"/phone/{book.number}/status").status_code == 200


@pytest.mark.cases("registry", "N19")
def test_what_a_messenger_looks_at_and_changes_is_in_the_trail_of_the_person(
    book: Book, messenger: RegistryClient, sql: Sql
) -> None:
    book.prove(ANA)
    list_calls(book, messenger)
    found = sql(
        "SELECT operation, action, actor_kind FROM platform.audit_event WHERE subject = $1 AND client = $2 "
        "ORDER BY at DESC LIMIT 3",
        *(Cpf(ANA).masked, MESSENGER),
    )
    assert {tuple(row) for row in found} == {
        ("registry.read_phone_status", "read", "client"),
        ("registry.bind_phone", "update", "client"),
        ("registry.opt_out_phone", "update", "client"),
    }
