"""Fixtures with the demo's agents and data sets, and a function that calls use cases without HTTP."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform, assemble
from balcao.settings import Settings
from balcao_sandbox.demo import agents as demo
from tests.support.open_platform import opened
from tests.support.operator_calls import Act, acting


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "agents.test") as run:
        yield run


@pytest.fixture(scope="module")
def loaded(act: Act) -> dict[str, Any]:
    """Load the demo data as the sandbox does. Return the ids of a configuration and a data set."""
    act(lambda call: demo.load_demo_agents(call.platform))
    return dict(act(lambda call: demo.find_agent_examples(call.platform)))


@pytest.fixture
def call(platform: Platform) -> Call:
    return operator_call(platform, "agents.test")


@pytest_asyncio.fixture
async def second_process(settings: Settings, database_url: str) -> AsyncIterator[Call]:
    platform = assemble(settings, database_url)
    async with opened(platform):
        yield operator_call(platform, "agents.test")
