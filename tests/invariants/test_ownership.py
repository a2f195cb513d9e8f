"""A citizen who asks about another person gets the same refusal whether that person is known, unknown or invalid."""

import httpx
import pytest

from tests.support.demo_people import BRUNO
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations

DOORS = {"somebody else": "90000000175", "nobody known": "90000001147", "punctuated": "900.000.001-75", "no CPF": "123"}
PERSONAL = [served for served in all_operations() if "{cpf" in served.path and not served.public]


@pytest.mark.parametrize("served", PERSONAL, ids=str)
def test_a_citizen_reaches_nobody_elses_data(http: httpx.Client, issuer: Issuer, served: Served) -> None:
    own = bearer(issuer.person(BRUNO))
    answers = {
        door: http.request(served.method, served.filled(cpf=cpf), headers=own, json={}) for door, cpf in DOORS.items()
    }
    assert {door: answer.status_code for door, answer in answers.items()} == dict.fromkeys(DOORS, 403)
    assert len({answer.content for answer in answers.values()}) == 1


def test_the_doors_are_found() -> None:
    assert len(PERSONAL) > 50
