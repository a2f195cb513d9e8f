"""The registry's parts in each process: the CRM client, the running login syncs, and the backlog of CRM events."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.crm.client import CrmClient, open_crm_client
from balcao.registry.crm.events.backlog import Backlog
from balcao.registry.crm.login.service import LoginSyncs


@asynccontextmanager
async def run_registry(platform: Platform) -> AsyncIterator[None]:
    """Provide the registry's parts while the process runs."""
    async with open_crm_client(platform.settings) as crm:
        platform.parts |= {Backlog: Backlog(), CrmClient: crm, LoginSyncs: LoginSyncs()}
        yield
