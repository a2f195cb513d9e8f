"""The demo data of each service, in loading order."""

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
    staff_departments,
    vehicles,
)
from balcao_sandbox.demo.registry import companies as registered_companies
from balcao_sandbox.demo.registry import departments as city_departments


async def no_examples(_: Platform) -> Mapping[str, Any]:
    """Return no examples."""
    return {}


@dataclass(frozen=True)
class Demo:
    """Demo data. `load` is idempotent and uses the use cases. `examples` returns ids to try.

    The keys of `examples` are those of `balcao demo --json`.
    """

    load: Callable[[Platform], Awaitable[None]]
    examples: Callable[[Platform], Awaitable[Mapping[str, Any]]] = no_examples


# By the service's name.
DEMOS: Mapping[str, Sequence[Demo]] = {
    "access": [Demo(access.load, access.examples)],
    "registry": [
        Demo(citizens.load, citizens.examples),
        Demo(declared.load),
        Demo(phones.load),
        Demo(phone_book.load),
        Demo(pets.load, pets.examples),
        Demo(preferences.load),
        Demo(city_departments.load, city_departments.examples),
        Demo(staff_departments.load),
        Demo(activities.load),
        Demo(registered_companies.load, registered_companies.examples),
        Demo(vehicles.load),
        Demo(push.load),
    ],
    "employability": [
        Demo(companies.load),
        Demo(departments.load),
        Demo(listings.load, listings.examples),
        Demo(resume.load, resume.examples),
        Demo(terms.load),
        Demo(applications.load, applications.examples),
        Demo(blocks.load),
        Demo(legacy_jobs.load, legacy_jobs.examples),
    ],
    "search": [Demo(search.load, search.examples)],
    "health_units": [Demo(health_units.load, health_units.examples)],
    "agents": [Demo(agents.load, agents.examples)],
}
