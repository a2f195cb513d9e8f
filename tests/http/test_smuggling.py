"""A request that hides another is refused or parsed as the standard requires. The hidden one is never served."""

import pytest

from tests.http import smuggling
from tests.http.application import Echo
from tests.http.connection import Connection
from tests.http.requests import Case
from tests.http.smuggling import HIDDEN_PATH
from tests.support.server import RunningServer


@pytest.mark.parametrize("case", smuggling.ALL, ids=lambda case: case.name)
def test_a_hidden_request_is_never_served(server: RunningServer, echo: Echo, case: Case) -> None:
    with Connection(server.port) as connection:
        connection.send(case.sent)
        connection.finish()
        answers = connection.answers(to_head=case.sent.startswith(b"HEAD"))
    assert tuple(answer for answer in answers if answer != "100") == case.answers
    assert HIDDEN_PATH.encode() not in echo.seen


def test_the_table_is_as_long_as_it_is_meant_to_be() -> None:
    names = {case.name for case in smuggling.ALL}
    assert 117 <= len(names) == len(smuggling.ALL)
