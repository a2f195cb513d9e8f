"""No call blocks other callers: each step of the event loop is short, even for the largest accepted input."""

from collections.abc import Hashable, Iterator
from contextlib import closing
from http.client import HTTPConnection

import pytest

from balcao import app
from balcao.settings import Settings
from tests.contract.hostile_calls import Sent, Target, list_targets
from tests.contract.large_calls import LargeCall, list_calls
from tests.contract.steps import StepMeter, find_delays, metered
from tests.contract.test_hostile_values import Caller
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import FULL, one_of_each
from tests.support.sandbox import IndependentTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port

pytestmark = pytest.mark.long

TARGETS = [target for service in app.SERVICES for target in list_targets(service)]


def describe_kind(target: Target) -> Hashable:
    operation = target.operation
    return operation.body_limit, operation.signature.takes_content, bool(operation.signature.body), target.service.name


TRIED: list[Target] = TARGETS if FULL else one_of_each(describe_kind, TARGETS)


@pytest.fixture(scope="module")
def meter() -> Iterator[StepMeter]:
    with metered() as found:
        yield found


@pytest.fixture(scope="module")
def served(
    issuer: Issuer, meter: StepMeter, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sandbox]:
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), port=free_port(), auth_issuer=issuer.address, refused_rate=UNLIMITED
    )
    with running(settings, database_url, IndependentTokens(issuer)) as opened:
        meter.calibrate(opened.url)
        yield opened


@pytest.fixture(scope="module")
def caller(served: Sandbox, issuer: Issuer) -> Iterator[Caller]:
    with closing(HTTPConnection(served.url.removeprefix("http://"), timeout=PATIENCE)) as connection:
        yield Caller(connection, issuer)


@pytest.mark.parametrize("target", TRIED, ids=lambda target: target.operation.key)
def test_the_largest_input_of_an_operation_keeps_no_second_caller_waiting(
    caller: Caller, meter: StepMeter, target: Target
) -> None:
    def send(call: LargeCall) -> int:
        return caller.call(target, Sent("", "", call.path, {}, call.body or None))[0]

    assert find_delays(meter, list_calls(target), send) == []
