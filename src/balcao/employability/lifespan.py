"""Objects that each process of the service creates when it starts."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.platform import Platform
from balcao.core.outgoing import ServiceClient
from balcao.employability.companies.lookup import RegistryCompanies
from balcao.employability.hiring.departments.scope import StaffLinks
from balcao.employability.rights.service import EmployabilityPersonalData


@asynccontextmanager
async def run_employability(platform: Platform, held: Iterable[PersonalData]) -> AsyncIterator[None]:
    """Create the registry client, the caches of its responses, and the list of the features' personal data."""
    registry = ServiceClient(platform.http, platform.settings.registry_url, platform.settings)
    platform.parts[ServiceClient] = registry
    platform.parts[RegistryCompanies] = RegistryCompanies(registry)
    platform.parts[StaffLinks] = StaffLinks(registry)
    platform.parts[EmployabilityPersonalData] = EmployabilityPersonalData(held)
    yield
