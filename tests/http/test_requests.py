"""Every case in the table of requests, sent over a real socket."""

import pytest

from tests.http import requests
from tests.http.connection import Connection
from tests.http.requests import Case
from tests.support.server import RunningServer


@pytest.mark.parametrize("case", requests.ALL, ids=lambda case: case.name)
def test_a_request_is_answered_as_the_standard_says(server: RunningServer, case: Case) -> None:
    with Connection(server.port) as connection:
        answers: list[str | None] = []
        first, *rest = case.parts
        connection.send(first)
        if rest:
            answers.append(connection.answer())
            connection.send(rest[0])
        answers += connection.answers(to_head=case.sent.startswith(b"HEAD"))
    assert tuple(answers) == case.answers


def test_the_table_is_as_long_as_it_is_meant_to_be() -> None:
    names = [case.name for case in requests.ALL]

    assert len(names) >= 150
    assert len(names) == len(set(names))
