"""The trial can simulate the passage of time for one person. Only that person's data expire."""

import asyncio
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from balcao.core.context.idempotency import RETENTION
from balcao.core.values.cpf import Cpf
from balcao_sandbox.passing_time.service import pass_time
from tests.registry.person.test_pets import GOOD
from tests.support.demo_people import ANA, BRUNO
from tests.support.issuer import Issuer, bearer
from tests.support.server import free_port
from tests.support.terminal import Terminal

MOMENT = timedelta(minutes=1)


def test_an_answer_that_is_kept_for_a_repetition_ends(http: httpx.Client, issuer: Issuer, database_url: str) -> None:
    def add(cpf: str) -> int:
        headers = bearer(issuer.person(cpf)) | {"Idempotency-Key": "time-passes"}
        made = http.post(f"/registry/v1/citizen/{cpf}/pets", headers=headers, json=GOOD).raise_for_status()
        return int(made.json()["id_animal"])

    first = {cpf: add(cpf) for cpf in (ANA, BRUNO)}
    assert {cpf: add(cpf) for cpf in (ANA, BRUNO)} == first
    asyncio.run(pass_time(database_url, Cpf(ANA), RETENTION + MOMENT))
    assert add(ANA) != first[ANA]
    assert add(BRUNO) == first[BRUNO]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ana",), "--minutes 15"),
        (("ninguém", "--days", "1"), "`balcao demo`"),
        (("ana", "--days", "1"), "inicie-o com `balcao serve`"),
    ],
)
def test_how_much_time_for_whom_and_of_which_data_must_be_known(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    assert told in Terminal(tmp_path, port=free_port()).refusal("sandbox", "pass-time", *words)
