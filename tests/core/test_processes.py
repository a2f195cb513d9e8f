"""Two processes behind one port share the limits for a caller (rules: registry 5)."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from balcao import app
from balcao.core.context.processes import ProcessGroup, prepare_group
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

ALLOWED = 10


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address, data_dir=tmp_path_factory.mktemp("data"), enumeration_limit=f"{ALLOWED}/5 minutes"
    )


@pytest.fixture(scope="module")
def processes(settings: Settings, database_url: str) -> Iterator[list[httpx.Client]]:
    folder = settings.data_dir / "run"
    prepare_group(folder)
    first, second = (
        app.build_application(settings, database_url, group=ProcessGroup(folder, number, 2)) for number in (0, 1)
    )
    with RunningServer(first) as one, RunningServer(second) as two, ExitStack() as clients:
        yield [clients.enter_context(httpx.Client(base_url=server.url, timeout=PATIENCE)) for server in (one, two)]


@pytest.mark.long
def test_who_tries_number_after_number_in_turn_is_shut_out_of_both(
    processes: list[httpx.Client], issuer: Issuer
) -> None:
    prober, path = bearer(issuer.person("90000000337")), "/registry/v1/citizen/{}/notification-preferences"
    numbers = (path.format(Cpf.with_stem(f"{stem:09}").digits) for stem in itertools.count(123_000_000))
    for client in itertools.islice(itertools.cycle(processes), ALLOWED + 1):
        assert client.get(next(numbers), headers=prober).status_code == 403
    for client in processes:
        shut = client.get(next(numbers), headers=prober)
        assert (shut.status_code, shut.headers["Error-Code"]) == (429, "enumeration")
        other = issuer.person("90000000175")
        assert client.get(path.format("90000000175"), headers=bearer(other)).status_code == 200
