"""Fixtures for the sandbox CRM over real HTTP. Each test starts with only the demo accounts."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import pytest_asyncio

from balcao.crm.client import CrmClient, open_crm_client
from tests.support.crm import RunningCrm, crm_settings
from tests.support.polling import PATIENCE


@pytest.fixture(scope="module")
def running_crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCrm]:
    with RunningCrm(crm_settings(tmp_path_factory.mktemp("crm"))) as running:
        yield running


@pytest.fixture
def crm(running_crm: RunningCrm) -> RunningCrm:
    running_crm.reset()
    return running_crm


@pytest_asyncio.fixture
async def client(crm: RunningCrm) -> AsyncIterator[CrmClient]:
    async with open_crm_client(crm.settings) as opened:
        yield opened


@pytest.fixture
def rest(crm: RunningCrm) -> Iterator[httpx.Client]:
    """Yield an authenticated HTTP client, for requests that our CRM client never sends."""
    settings = crm.settings
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.crm_client_id,
        "client_secret": settings.crm_client_secret.get_secret_value(),
    }
    token = httpx.post(f"{settings.crm_url}/services/oauth2/token", data=form, timeout=PATIENCE).json()["access_token"]
    crm.switch.delete("/requests")
    base = f"{settings.crm_url}/services/data/{settings.crm_api_version}"
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE) as opened:
        yield opened
