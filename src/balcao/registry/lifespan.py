"""The registry's resources in each process: CRM client, login syncs in progress, event backlog, file storage."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.core.files.opening import make_storage
from balcao.core.files.storage import FileStorage
from balcao.crm.client import CrmClient, open_crm_client
from balcao.registry.crm.events.backlog import Backlog
from balcao.registry.crm.login.service import LoginSyncs


@asynccontextmanager
async def run_registry(platform: Platform) -> AsyncIterator[None]:
    """Provide the registry's resources while the process runs."""
    async with open_crm_client(platform.settings) as crm:
        platform.parts |= {
            Backlog: Backlog(),
            CrmClient: crm,
            FileStorage: make_storage(platform.settings),
            LoginSyncs: LoginSyncs(),
        }
        yield
