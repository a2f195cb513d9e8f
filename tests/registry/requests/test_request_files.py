"""The files to which the answers in a request refer (rules: registry 4.18, 4.20)."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from balcao.core.audit.retention import run_retention
from balcao.registry.requests.lifecycle.api import FEATURE
from balcao.settings import Settings
from tests.registry.requests.conftest import ANSWERS, Citizen, Staff
from tests.support.fixture_types import Sql
from tests.support.operator_calls import acting
from tests.support.refusals import refusal
from tests.support.sample_files import photo

UNUSED = "SELECT unused_since IS NOT NULL FROM registry.citizen_file WHERE id = $1::text::uuid"


def test_the_file_of_an_answer_is_kept_and_shown_to_the_department(
    citizen: Citizen, members: Callable[..., Staff], http: httpx.Client, sql: Sql
) -> None:
    file, other = citizen.store(photo(64, 48)), citizen.store(photo(32, 32))
    made = citizen.opened(answers=ANSWERS | {"fotos": [file.upper()]})
    answer = next(one for one in made["answers"] if one["field"] == "fotos")
    assert (answer["value"], answer["text"]) == ([file], "1 arquivo")
    path = f"/registry/v1/citizen/{citizen.cpf}/files"
    assert refusal(http.delete(f"{path}/{file}", headers=citizen.headers))[0] == 409
    content = http.get(f"{path}/{file}/content", headers=citizen.headers).content
    shown = members("1500").download(made["number"], file)
    assert (shown.status_code, shown.content) == (200, content)
    assert shown.headers["Content-Disposition"].startswith("attachment")
    assert shown.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert members("1500").download(made["number"], other).status_code == 404
    assert members("2000").download(made["number"], file).status_code == 404
    trail = http.get(f"/registry/v1/citizen/{citizen.cpf}/data-access", headers=citizen.headers).json()["data"]
    assert "registry.download_request_file" in {event["operation"] for event in trail}
    assert [sql(UNUSED, one)[0][0] for one in (file, other)] == [False, True]


@pytest.mark.long
@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"fotos": ["x"]}, "answer-invalid"),
        ({"fotos": "x"}, "answer-invalid"),
        ({"fotos": [{}]}, "answer-invalid"),
        ({"fotos": ["own"] * 2}, "answer-invalid"),
        ({"fotos": [str(uuid.UUID(int=number)) for number in range(5)]}, "answer-invalid"),
        ({name: [str(uuid.UUID(int=number)) for number in range(3)] for name in ("fotos", "planta")}, "answer-files"),
        ({"fotos": [str(uuid.UUID(int=7))]}, "file-not-own"),
        ({"fotos": ["own", "foreign"]}, "file-not-own"),
    ],
    ids=str,
)
def test_a_wrong_file_is_refused_and_nothing_is_stored(
    citizen: Citizen, citizens: Callable[[], Citizen], sql: Sql, files: dict[str, Any], code: str
) -> None:
    known = {"own": citizen.store(photo(16, 16)), "foreign": citizens().store(photo(16, 16))}

    def resolve(ids: Any) -> Any:
        return [known.get(one, one) if isinstance(one, str) else one for one in ids] if isinstance(ids, list) else ids

    answer = citizen.open(answers=ANSWERS | {name: resolve(ids) for name, ids in files.items()})
    assert refusal(answer) == (400, code)
    assert citizen.list()["data"] == []
    assert sql(UNUSED, known["own"])[0][0] is True


def test_without_login_no_file_is_taken(http: httpx.Client, citizen: Citizen) -> None:
    answers = ANSWERS | {"fotos": [citizen.store(photo(16, 16))]}
    body = {"type": "lampada", "version": 1, "answers": answers}
    assert refusal(http.post("/registry/v1/maintenance-requests", json=body)) == (400, "answer-login-needed")


def test_a_deleted_request_lets_go_of_its_files(
    citizen: Citizen, admin: Staff, sql: Sql, settings: Settings, database_url: str
) -> None:
    file = citizen.store(photo(16, 16))
    number = citizen.opened(answers=ANSWERS | {"fotos": [file]})["number"]
    admin.moved(number, "done")
    sql("UPDATE registry.request SET closed_at = closed_at - $2::interval WHERE number = $1", number, timedelta(2000))

    async def apply(call: Any) -> Any:
        return await run_retention(call, FEATURE.retention)

    with acting(settings, database_url, "registry.test_retention") as act:
        act(apply)
    assert (citizen.read(number).status_code, sql(UNUSED, file)[0][0]) == (404, True)
