"""Fixtures: a CRM whose mailbox stores codes, and citizens who request the codes."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from balcao.core.context.platform import assemble
from balcao.settings import Settings
from tests.registry.declared_values import Citizen
from tests.registry.person.phones.numbers import digits
from tests.support.crm import RunningCrm, crm_settings
from tests.support.fixture_types import Drain
from tests.support.issuer import Issuer


@pytest.fixture(scope="module")
def running_crm(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[RunningCrm]:
    with RunningCrm(crm_settings(tmp_path_factory.mktemp("crm"), auth_issuer=issuer.address)) as running:
        yield running


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer) -> Citizen:
    return Citizen.new(http, issuer)


@pytest.fixture
def code_of(running_crm: RunningCrm, drain: Drain) -> Callable[[dict[str, str]], str]:
    """Return a function that runs the worker and returns the newest code that was sent to a number."""

    def find(phone: dict[str, str]) -> str:
        drain()
        codes = running_crm.switch.get("/codes", params={"to": digits(phone)}).json()
        return str(codes[-1]["code"])

    return find


@pytest.fixture
def platform_run(settings: Settings, database_url: str) -> Callable[..., Any]:
    """Return a function that runs a coroutine function in a transaction under the application's role."""

    async def run(act: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        platform = assemble(settings, database_url)
        await platform.database.open()
        try:
            async with platform.database.transaction() as connection:
                return await act(connection, *args)
        finally:
            await platform.database.close()
            await platform.http.aclose()

    return lambda act, *args: asyncio.run(run(act, args))
