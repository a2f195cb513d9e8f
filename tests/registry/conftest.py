"""Fixtures for own writes and their pushes to the CRM.

Use cases mark changes for a push. A real worker sends the changes after the tests have made the push jobs due.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from balcao import app
from balcao.core.context.call import Call
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.writes import OwnWrite
from balcao.settings import Settings
from tests.support.crm import RunningCrm, crm_settings
from tests.support.issuer import Issuer
from tests.support.open_platform import opened
from tests.support.operator_calls import acting

Own = Callable[..., None]
DUE = "UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'crm_push' AND status = 'queued'"
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def running_crm(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[RunningCrm]:
    with RunningCrm(crm_settings(tmp_path_factory.mktemp("crm"), auth_issuer=issuer.address)) as running:
        yield running


@pytest.fixture
def crm(running_crm: RunningCrm) -> RunningCrm:
    running_crm.reset()
    return running_crm


@pytest.fixture
def person() -> str:
    """Return the CPF of a new person, who has no data."""
    return Cpf.with_stem(f"93{next(_numbers):07}").digits


@pytest.fixture
def own(settings: Settings, database_url: str) -> Iterator[Own]:
    """Yield `own(cpf, genero="Nao_binario")`, which writes a citizen's declarations in one transaction."""
    with acting(settings, database_url, "registry.test_own_write") as act:
        yield lambda cpf, **values: act(declare, Cpf(cpf), {name.replace("__", "."): v for name, v in values.items()})


async def declare(call: Call, cpf: Cpf, values: dict[str, Any]) -> None:
    async with call.platform.database.transaction() as connection:
        await mirror.write_own_fields(connection, call.as_owner(), cpf, OwnWrite(values))


@pytest.fixture
def send(settings: Settings, database_url: str, sql: Callable[..., Any]) -> Callable[..., None]:
    """Return a function that makes every push due and runs a new worker. Its keyword arguments override settings."""

    def run(**others: Any) -> None:
        sql(DUE)
        asyncio.run(drain(settings.model_copy(update=others), database_url))

    return run


async def drain(settings: Settings, database_url: str) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        await Worker(platform.database, app.list_job_kinds(), platform).drain()
