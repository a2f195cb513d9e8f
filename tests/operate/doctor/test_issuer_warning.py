"""When several processes start, only one of them checks the providers, and none checks the embedded provider."""

import asyncio
import socket

import pytest

from balcao.operate.processes import api
from balcao.operate.processes.channel import Order
from balcao.settings import Settings
from tests.support.polling import PATIENCE
from tests.support.server import free_port


def is_asking() -> bool:
    """Return whether a task checks the providers. It starts before the process reports readiness."""
    return any("warn_of_issuers" in repr(task.get_coro()) for task in asyncio.all_tasks())


@pytest.mark.parametrize(("number", "own", "asks"), [(0, False, True), (1, False, False), (0, True, False)])
async def test_the_first_process_of_a_start_warns_of_a_provider_without_keys(
    settings: Settings, database_url: str, caplog: pytest.LogCaptureFixture, number: int, *, own: bool, asks: bool
) -> None:
    silent = f"http://127.0.0.1:{free_port()}/realms/cidade"
    listening = socket.create_server(("127.0.0.1", 0))
    order = Order(database_url, ("registry",), {"api": listening.detach()}, number=number, count=2)
    async with api.run(settings.model_copy(update={"auth_issuer": "" if own else silent}), order):
        assert is_asking() == asks
        async with asyncio.timeout(PATIENCE):
            while asks and silent not in caplog.text:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0)
    assert not is_asking()
