"""Tests of files with which citizens answer questions of the city (rules: registry 4.20)."""

import uuid
from collections.abc import Callable

import httpx
import pytest

from tests.registry.requests.conftest import ANSWERS, Citizen, Staff
from tests.support.fixture_types import Sql
from tests.support.refusals import refusal
from tests.support.sample_files import document, photo

MOST = 5
USES = "SELECT count(*) FROM registry.file_use WHERE cpf = $1"


@pytest.fixture
def asked(citizen: Citizen, admin: Staff) -> Callable[..., str]:
    """Return a function that makes a request about which the city has asked something."""

    def make(*files: str) -> str:
        number = str(citizen.opened(answers=ANSWERS | ({"fotos": list(files)} if files else {}))["number"])
        admin.moved(number, "needs_information", "Pode mandar uma foto?")
        return number

    return make


def answer(citizen: Citizen, number: str, *files: str, **headers: str) -> httpx.Response:
    return citizen.act(number, "answer", {"text": "Segue.", "files": list(files)}, **headers)


def test_the_files_of_an_answer_are_shown_exported_and_kept(
    citizen: Citizen, asked: Callable[..., str], members: Callable[..., Staff], http: httpx.Client
) -> None:
    first, second = citizen.store(photo(16, 16)), citizen.store(document())
    number = asked()
    answered = answer(citizen, number, first.upper(), second).raise_for_status().json()
    assert answered["state"] == "in_progress"
    assert answered["steps"][-1]["files"] == [first, second]
    assert all("files" not in step for step in answered["steps"][:-1])
    assert citizen.read(number).json() == answered
    exported = http.get(f"/registry/v1/citizen/{citizen.cpf}/data-export", headers=citizen.headers).json()
    assert exported["pedidos"][0]["steps"][-1]["files"] == [first, second]
    path = f"/registry/v1/citizen/{citizen.cpf}/files/{first}"
    assert refusal(http.delete(path, headers=citizen.headers)) == (409, "file-in-use")
    assert http.get(path, headers=citizen.headers).json()["expires_at"] is None
    member = members("1500")
    assert member.read(number).json()["steps"][-1]["files"] == [first, second]
    shown = member.download(number, first)
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/jpeg")
    assert members("2000").download(number, first).status_code == 404
    assert member.download(asked(), first).status_code == 404


def test_an_answer_without_files_is_as_before(citizen: Citizen, asked: Callable[..., str], sql: Sql) -> None:
    answered = citizen.act(asked(), "answer", {"text": "É cinza."}).raise_for_status().json()
    assert set(answered["steps"][-1]) == {"state", "text", "author", "at"}
    assert sql(USES, citizen.cpf)[0][0] == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("named", "code"),
    [
        (["x"], "answer-files-invalid"),
        (["own", "own"], "answer-files-invalid"),
        (["opening"], "answer-files-invalid"),
        (["own", "foreign"], "file-not-own"),
        (["deleted"], "file-not-own"),
        ([str(uuid.UUID(int=7))], "file-not-own"),
        ([str(uuid.UUID(int=number)) for number in range(MOST)], "answer-files"),
        ([str(uuid.UUID(int=number)) for number in range(MOST + 1)], "answer-files"),
    ],
    ids=str,
)
def test_a_wrong_file_is_refused_and_nothing_changes(
    citizen: Citizen,
    citizens: Callable[[], Citizen],
    asked: Callable[..., str],
    http: httpx.Client,
    sql: Sql,
    named: list[str],
    code: str,
) -> None:
    known = {name: citizen.store(photo(16, 16)) for name in ("own", "opening", "deleted")}
    known["foreign"] = citizens().store(photo(16, 16))
    http.delete(
        f"/registry/v1/citizen/{citizen.cpf}/files/{known['deleted']}", headers=citizen.headers
    ).raise_for_status()
    number = asked(known["opening"])
    before = citizen.read(number).json()
    assert refusal(answer(citizen, number, *(known.get(one, one) for one in named))) == (400, code)
    assert citizen.read(number).json() == before
    assert sql(USES, citizen.cpf)[0][0] == 1


def test_a_request_has_five_files_over_all_its_answers(
    citizen: Citizen, admin: Staff, asked: Callable[..., str]
) -> None:
    files = [citizen.store(photo(16, 16)) for _ in range(MOST + 1)]
    number = asked(*files[:2])
    answer(citizen, number, *files[2:4]).raise_for_status()
    admin.moved(number, "needs_information", "E outra?")
    assert refusal(answer(citizen, number, files[3])) == (400, "answer-files-invalid")
    assert refusal(answer(citizen, number, *files[4:])) == (400, "answer-files")
    answer(citizen, number, files[4]).raise_for_status()
    admin.moved(number, "needs_information", "Mais alguma?")
    assert refusal(answer(citizen, number, files[5])) == (400, "answer-files")
    answer(citizen, number).raise_for_status()


def test_a_repeated_answer_counts_its_files_once(citizen: Citizen, asked: Callable[..., str], sql: Sql) -> None:
    file, number = citizen.store(photo(16, 16)), asked()
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first, second = (answer(citizen, number, file, **key).raise_for_status().json() for _ in range(2))
    assert first == second
    assert sql(USES, citizen.cpf)[0][0] == 1
    assert refusal(answer(citizen, number, **key)) == (409, "idempotency-key-reused")


def test_an_erasure_deletes_the_files_of_answers(
    citizen: Citizen, asked: Callable[..., str], http: httpx.Client, sql: Sql
) -> None:
    file, number = citizen.store(photo(16, 16)), asked()
    answer(citizen, number, file).raise_for_status()
    path = f"/registry/v1/citizen/{citizen.cpf}/anonymisation"
    rehearsed = http.post(path, json={"dry_run": True}, headers=citizen.headers).raise_for_status().json()
    body = {"dry_run": False, "confirmation": rehearsed["confirmation"]}
    erased = http.post(path, json=body, headers=citizen.headers).raise_for_status().json()
    (cleared,) = [one for one in erased["cleared"] if one["kind"] == "requests"]
    assert "steps.files" in cleared["fields"]
    assert sql("SELECT count(*) FROM registry.citizen_file WHERE cpf = $1", citizen.cpf)[0][0] == 0
    stored = sql(
        "SELECT step.files FROM registry.request_step AS step JOIN registry.request ON request.id = step.request "
        "WHERE number = $1",
        number,
    )
    assert [row["files"] for row in stored] == [[]] * len(stored)
    assert len(stored) > 2
