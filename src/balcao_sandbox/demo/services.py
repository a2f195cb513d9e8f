"""The demo data for each service, in the order in which it is loaded."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from balcao.core.context.platform import Platform
from balcao_sandbox.demo import access, agents, health_units, search
from balcao_sandbox.demo.employability import (
    applications,
    blocks,
    companies,
    departments,
    legacy_jobs,
    listings,
    resume,
    terms,
)
from balcao_sandbox.demo.registry import (
    activities,
    citizens,
    declared,
    pets,
    phone_book,
    phones,
    preferences,
    push,
    requests,
    staff_departments,
    vehicles,
)
from balcao_sandbox.demo.registry import companies as registered_companies
from balcao_sandbox.demo.registry import departments as city_departments


async def no_examples(_: Platform) -> Mapping[str, Any]:
    """Return an empty mapping, for data without example values."""
    return {}


@dataclass(frozen=True)
class Demo:
    """A part of the demo data. `load` can be repeated. `examples` returns values for trying out operations.

    `balcao demo --json` prints these values under the same keys.
    """

    load: Callable[[Platform], Awaitable[None]]
    examples: Callable[[Platform], Awaitable[Mapping[str, Any]]] = no_examples


# The demo data for each service, by the service's name.
DEMOS: Mapping[str, Sequence[Demo]] = {
    "access": [Demo(access.load_demo_access, access.find_access_examples)],
    "registry": [
        Demo(citizens.load_demo_citizens, citizens.find_citizen_examples),
        Demo(declared.load_demo_declared_data),
        Demo(phones.load_demo_phones),
        Demo(phone_book.load_demo_phone_book),
        Demo(pets.load_demo_pets, pets.find_pet_examples),
        Demo(preferences.load_demo_preferences),
        Demo(city_departments.load_demo_departments, city_departments.find_department_examples),
        Demo(staff_departments.load_demo_staff_departments),
        Demo(activities.load_demo_activities),
        Demo(
            registered_companies.load_demo_registered_companies, registered_companies.find_registered_company_examples
        ),
        Demo(vehicles.load_demo_vehicles),
        Demo(push.load_demo_pushed_fields),
        Demo(requests.load_demo_requests, requests.find_request_examples),
    ],
    "employability": [
        Demo(companies.load_demo_employers),
        Demo(departments.load_demo_department_copies),
        Demo(listings.load_demo_listings, listings.find_listing_examples),
        Demo(resume.load_demo_resumes, resume.find_resume_examples),
        Demo(terms.load_demo_terms),
        Demo(applications.load_demo_applications, applications.find_application_examples),
        Demo(blocks.load_demo_blocks),
        Demo(legacy_jobs.load_demo_legacy_jobs, legacy_jobs.find_legacy_job_examples),
    ],
    "search": [Demo(search.load_demo_services, search.find_service_examples)],
    "health_units": [Demo(health_units.load_demo_health_units, health_units.find_health_unit_examples)],
    "agents": [Demo(agents.load_demo_agents, agents.find_agent_examples)],
}
