"""Numbers that are bound without proof, over HTTP (rules: registry 4.13)."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from balcao.core.access.caller import from_claims
from balcao.core.access.rules import Decision, Reason
from balcao.core.audit import retention
from balcao.core.context.call import Call
from balcao.core.errors import Conflict, TooMany
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.person.phone_book import service
from balcao.registry.person.phone_book.api import RETENTION
from balcao.registry.person.phone_book.schemas import PhoneBindBody, RegistrationBody
from balcao.settings import Settings, rates
from tests.registry.person.phone_book_calls import Book, load_people, new_number
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.demo_people import ANA, BRUNO, CARLA
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.operator_calls import acting
from tests.support.refusals import refusal

NOT_FREE, DONE = (409, "phone-not-free"), (200, None)
# Ways to write the number of the fixture `book`, 55 21 9 xxxxxxxx.
WRITTEN = [
    {"ddi": "55", "ddd": "21", "valor": "9{rest}"},
    {"ddi": "+55", "ddd": "021", "valor": "9 {rest}"},
    {"ddd": "21", "valor": "9{rest}"},
    {"valor": "21 9{rest}"},
    {"valor": "(021) 9{rest}"},
    {"valor": "+55 (21) 9{rest}"},
    {"ddi": "55", "valor": "219{rest}"},
    {"ddi": "55", "ddd": "21", "valor": "{rest}"},  # without the ninth digit, as before its introduction
]


@pytest.fixture(autouse=True)
def _records(database_url: str) -> None:
    load_people(database_url)


@pytest.fixture
def book(http: httpx.Client, issuer: Issuer, sql: Sql) -> Book:
    sql("DELETE FROM registry.phone_book WHERE proof = 'token'")  # unproven bindings from earlier tests
    # A mobile number starts with 9. Its next digit is 6 to 9.
    return Book(http, issuer, sql, f"552199{new_number()[-7:]}")


def another(http: httpx.Client, issuer: Issuer, sql: Sql) -> Book:
    return Book(http, issuer, sql, f"552199{new_number()[-7:]}")


def write(phone: dict[str, str], number: str) -> dict[str, str]:
    """Return a phone in the form in which the import stores it."""
    sources = {"origem": "cadastro", "sistema": "cadastro"}
    return sources | {name: text.format(rest=number[5:]) for name, text in phone.items()}


def set_base(sql: Sql, cpf: str, phones: dict[str, Any]) -> None:
    """Replace the phones in the city's record of a person."""
    changed = "UPDATE registry.base_record SET record = jsonb_set(record, '{telefone}', $2::jsonb) WHERE cpf = $1"
    sql(changed, cpf, json.dumps(phones))


def age(sql: Sql, book: Book, days: int) -> None:
    """Set the date of the binding to this many days ago."""
    aged = "UPDATE registry.phone_book SET bound_at = now() - make_interval(days => $2) WHERE number = $1"
    sql(aged, book.number, days)


@pytest.mark.cases("registry", "N10")
@pytest.mark.parametrize("place", ["principal", "alternativo"])
@pytest.mark.parametrize("phone", WRITTEN)
def test_a_number_in_somebodys_imported_record_is_not_free_however_it_is_written(
    book: Book, sql: Sql, phone: dict[str, str], place: str
) -> None:
    written = write(phone, book.number)
    set_base(sql, ANA, {place: [{"valor": "33334444"}, written] if place == "alternativo" else written})
    assert refusal(book.bind_own(BRUNO)) == NOT_FREE
    assert book.status()["found"] is False
    assert refusal(book.bind_own(ANA)) == DONE


def test_numbers_that_only_resemble_one_in_a_record_are_free(book: Book, sql: Sql) -> None:
    other_area = {"ddi": "55", "ddd": "22", "valor": book.number[4:]}
    abroad = {"ddi": "351", "ddd": "", "valor": book.number[4:]}
    set_base(sql, ANA, {"principal": other_area, "alternativo": [abroad, {"valor": None}, {"ddi": "55"}]})
    assert refusal(book.bind_own(BRUNO)) == DONE


FIELDS = ["telefone1", "telefone2", "telefone3", "telefonePrincipal", "telefoneInternacional"]


@pytest.mark.cases("registry", "N10")
@pytest.mark.parametrize("field", FIELDS)
def test_a_number_that_the_crm_tells_of_somebody_is_not_free(
    book: Book, http: httpx.Client, issuer: Issuer, drain: Drain, field: str
) -> None:
    crm, whose = RegistryClient(http, issuer.machine("crm-sandbox")), new_cpf()
    text = f"+55 (21) {book.number[4:9]}-{book.number[9:]}"
    crm.ok("POST", "/webhooks/crm/cidadao", {"cpf": whose, "dados": {field: text}})
    drain()
    assert refusal(book.bind_own(BRUNO)) == NOT_FREE
    crm.ok("POST", "/webhooks/crm/cidadao", {"cpf": whose, "dados": {field: None}})
    drain()
    assert refusal(book.bind_own(BRUNO)) == DONE


@pytest.mark.cases("registry", "N10")
def test_a_number_with_or_without_its_ninth_digit_is_the_same_to_a_record(
    book: Book, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    set_base(sql, ANA, {"principal": write(WRITTEN[0], book.number)})
    shorter = Book(http, issuer, sql, book.number[:4] + book.number[5:])
    assert refusal(shorter.bind_own(BRUNO)) == NOT_FREE


@pytest.mark.cases("registry", "N11")
def test_a_squatters_binding_gives_way_when_the_crm_tells_whose_number_it_is(
    book: Book, http: httpx.Client, issuer: Issuer, drain: Drain
) -> None:
    assert refusal(book.bind_own(BRUNO)) == DONE
    assert refusal(book.opt_in(BRUNO)) == DONE
    crm = RegistryClient(http, issuer.machine("crm-sandbox"))
    crm.ok("POST", "/webhooks/crm/cidadao", {"cpf": ANA, "dados": {"telefone1": book.number}})
    drain()
    assert book.status()["found"] is False
    assert refusal(book.opt_in(BRUNO)) == (409, "phone-not-bound")
    assert refusal(book.bind_own(BRUNO)) == NOT_FREE
    listed = book.people[BRUNO].ok("GET", f"/citizen/{BRUNO}/data-export")["telefones"]
    assert f"+{book.number}" not in [one["phone_number"] for one in listed]
    assert refusal(book.bind_own(ANA)) == DONE
    shown = book.status()
    assert (shown["cpf"], shown["opt_in"]) == (Cpf(ANA).masked, False)


@pytest.mark.cases("registry", "N12")
def test_a_number_in_two_records_is_nobodys_without_a_code(book: Book, sql: Sql) -> None:
    for cpf in (ANA, BRUNO):
        set_base(sql, cpf, {"principal": write(WRITTEN[0], book.number)})
    assert [refusal(book.bind_own(cpf)) for cpf in (ANA, BRUNO)] == [NOT_FREE] * 2
    book.prove(BRUNO)
    assert book.status()["cpf"] == Cpf(BRUNO).masked
    assert refusal(book.bind_own(BRUNO)) == DONE  # proof has priority over other people's records
    assert refusal(book.bind_as_staff(BRUNO)) == DONE


def test_a_code_takes_a_number_from_whoever_has_it_on_their_word(book: Book) -> None:
    assert refusal(book.bind_own(BRUNO)) == DONE
    book.opt_in(BRUNO)
    book.prove(ANA)
    shown = book.status()
    assert (shown["cpf"], shown["opt_in"]) == (Cpf(ANA).masked, False)
    assert refusal(book.bind_own(BRUNO)) == NOT_FREE


def test_the_refusal_says_the_same_whatever_the_number_is_not_free_for(
    book: Book, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    proven, quarantined, claimed = (another(http, issuer, sql) for _ in range(3))
    set_base(sql, ANA, {"principal": write(WRITTEN[0], book.number)})
    proven.prove(ANA)
    quarantined.quarantine()
    claimed.bind_own(CARLA)
    answers = [each.bind_own(BRUNO) for each in (book, proven, quarantined, claimed)]
    assert {answer.status_code for answer in answers} == {409}
    assert len({(answer.text, answer.headers["Error-Code"]) for answer in answers}) == 1


def test_an_anonymised_persons_number_stays_theirs_while_the_city_has_it(
    book: Book, http: httpx.Client, issuer: Issuer, sql: Sql, drain: Drain
) -> None:
    set_base(sql, CARLA, {"principal": write(WRITTEN[0], book.number)})
    assert refusal(book.bind_own(CARLA)) == DONE
    crm = RegistryClient(http, issuer.machine("crm-sandbox"))
    crm.ok("POST", "/webhooks/crm/cidadao", {"cpf": CARLA, "evento": "anonimizacao"})
    drain()
    assert book.status()["found"] is False
    assert refusal(book.bind_own(BRUNO)) == NOT_FREE


# --- how many numbers, and for how long -------------------------------------------------------------------------------


@pytest.mark.cases("registry", "N13")
def test_nobody_has_more_than_three_numbers_on_their_word_and_learns_nothing_of_a_fourth(
    book: Book, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    first, *others = [book, *(another(http, issuer, sql) for _ in range(3))]
    taken = another(http, issuer, sql)
    taken.prove(ANA)
    assert [refusal(each.bind_own(BRUNO)) for each in (first, *others)] == [DONE] * 3 + [(409, "phones-unconfirmed")]
    assert others[-1].bind_own(BRUNO).text == taken.bind_own(BRUNO).text
    assert refusal(first.bind_own(BRUNO)) == DONE  # the number is already Bruno's
    first.prove(BRUNO)  # a number with proof no longer counts
    assert refusal(others[-1].bind_own(BRUNO)) == DONE
    assert refusal(others[-1].bind_own(CARLA)) == NOT_FREE


@pytest.mark.cases("registry", "N13")
def test_of_eight_numbers_bound_at_once_three_are_bound(
    book: Book, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    books = [another(http, issuer, sql) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda each: refusal(each.bind_own(BRUNO)), books))
    assert sorted(answers) == [DONE] * 3 + [(409, "phones-unconfirmed")] * 5
    held = sql("SELECT number FROM registry.phone_book WHERE cpf = $1 AND proof = 'token'", BRUNO)
    assert {row["number"] for row in held} == {
        each.number for each, answer in zip(books, answers, strict=True) if answer == DONE
    }


@pytest.mark.cases("registry", "N14")
def test_a_binding_on_somebodys_word_lapses_after_thirty_days_before_any_job_has_run(
    book: Book, sql: Sql, http: httpx.Client, issuer: Issuer
) -> None:
    book.bind_own(BRUNO)
    book.opt_in(BRUNO)
    age(sql, book, 29)
    assert refusal(book.bind_own(BRUNO)) == DONE  # a second binding does not extend the first
    assert book.status()["opt_in"] is True
    assert refusal(book.bind_own(ANA)) == NOT_FREE
    age(sql, book, 30)
    assert book.status()["found"] is False
    listed = book.people[BRUNO].ok("GET", f"/citizen/{BRUNO}/data-export")["telefones"]
    assert f"+{book.number}" not in [one["phone_number"] for one in listed]
    assert refusal(book.opt_in(BRUNO)) == (409, "phone-not-bound")
    assert refusal(book.bind_own(ANA)) == DONE
    assert book.status()["opt_in"] is False


def test_what_has_lapsed_counts_for_nothing(book: Book, http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    books = [another(http, issuer, sql) for _ in range(4)]
    for each in books[:3]:
        each.bind_own(BRUNO)
    age(sql, books[0], 30)
    assert refusal(books[3].bind_own(BRUNO)) == DONE
    assert refusal(books[0].bind_own(BRUNO)) == (409, "phones-unconfirmed")


@pytest.mark.cases("registry", "N14")
def test_a_proven_binding_does_not_lapse(book: Book, sql: Sql) -> None:
    book.prove(BRUNO)
    age(sql, book, 400)
    assert book.status()["cpf"] == Cpf(BRUNO).masked


def test_what_has_lapsed_is_swept_away_and_nothing_else(
    book: Book, http: httpx.Client, issuer: Issuer, sql: Sql, settings: Settings, database_url: str
) -> None:
    lapsed, kept, proven = book, another(http, issuer, sql), another(http, issuer, sql)
    lapsed.bind_own(BRUNO)
    kept.bind_own(BRUNO)
    proven.prove(BRUNO)
    for each, days in ((lapsed, 30), (kept, 29), (proven, 400)):
        age(sql, each, days)
    with acting(settings, database_url, retention.OPERATION) as act:
        reports = {report.kind: report.removed for report in act(retention.run_retention, RETENTION)}
    assert reports["phone_unproven"] == 1
    left = {row["number"] for row in sql("SELECT number FROM registry.phone_book WHERE cpf = $1", BRUNO)}
    assert (lapsed.number in left, kept.number in left, proven.number in left) == (False, True, True)


# --- rate limits ------------------------------------------------------------------------------------------------------


async def _use_up(operator: Call, what: str) -> list[str]:
    """Make the call twelve times under production's limits, and return the outcomes."""
    caller = from_claims({"sub": "s", "exp": 0, "cpf": BRUNO})
    call = Call(operator.platform, what, new_id(), Decision(Reason.AUTHENTICATED, "authenticated"), caller)
    answers = []
    for _ in range(12):
        try:
            if what == "registry.bind_phone":
                await service.bind_phone(call, new_number(), PhoneBindBody(BRUNO, "web"))
            else:
                body = RegistrationBody(BRUNO, "web", "Bruno", "1990-05-18")
                await service.validate_registration(operator, new_number(), body)
            answers.append("done")
        except Conflict as refused:
            answers.append(refused.code)
        except TooMany:
            answers.append("too many")
    return answers


@pytest.mark.cases("registry", "N15")
@pytest.mark.parametrize(
    ("what", "answers"),
    [
        ("registry.bind_phone", ["done"] * 3 + ["phones-unconfirmed"] * 7 + ["too many"] * 2),
        ("registry.validate_phone_registration", ["done"] * 5 + ["too many"] * 7),
    ],
)
def test_nobody_asks_for_one_number_after_the_other(
    book: Book, settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch, what: str, answers: list[str]
) -> None:
    monkeypatch.setattr(rates, "SANDBOX_FACTOR", 1)
    with acting(settings, database_url, what) as act:
        assert act(_use_up, what) == answers


@pytest.mark.parametrize("text", ["+{} {}", "\u200b+{}\u00a0{}"])
def test_a_foreign_number_of_a_record_keeps_nobody_from_the_brazilian_one_of_the_same_digits(
    http: httpx.Client, issuer: Issuer, sql: Sql, drain: Drain, text: str
) -> None:
    """`+49 30 901820` is a German number. It is not 3090-1820 in the Brazilian area code 49."""
    foreign = f"30{new_number()[-6:]}"
    book = Book(http, issuer, sql, f"5549{foreign}")
    set_base(sql, CARLA, {"principal": {"valor": f"+49 {foreign}"}})
    crm = RegistryClient(http, issuer.machine("crm-sandbox"))
    crm.ok("POST", "/webhooks/crm/cidadao", {"cpf": ANA, "dados": {"telefone1": text.format(49, foreign)}})
    drain()
    assert refusal(book.bind_own(BRUNO)) == DONE
    abroad = Book(http, issuer, sql, f"49{foreign}")
    assert refusal(abroad.bind_own(BRUNO)) == NOT_FREE
