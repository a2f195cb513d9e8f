"""Citizen registry: who a citizen is and how the city may reach them."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.service import Service
from balcao.registry.city.activities import api as activities
from balcao.registry.city.companies import api as companies
from balcao.registry.city.departments import api as departments
from balcao.registry.city.health import api as health
from balcao.registry.city.staff_departments import api as staff_departments
from balcao.registry.consent.categories import api as categories
from balcao.registry.consent.preferences import api as notifications
from balcao.registry.crm.events import api as crm_sync
from balcao.registry.crm.events.jobs import JOBS as CRM_JOBS
from balcao.registry.crm.mirror_reading import api as crm_mirror
from balcao.registry.crm.proxies import api as crm_proxies
from balcao.registry.crm.push.jobs import JOBS as PUSH_JOBS
from balcao.registry.crm.state import api as crm_admin
from balcao.registry.dead_letters import api as dead_letters
from balcao.registry.dead_letters.retention import RETENTION as LETTERS
from balcao.registry.mobility import api as mobility
from balcao.registry.mobility.invitations.jobs import JOBS as LETTER_JOBS
from balcao.registry.person.avatars import api as avatars
from balcao.registry.person.citizens import api as citizens
from balcao.registry.person.citizens.demo import DEMO
from balcao.registry.person.declared import api as declared
from balcao.registry.person.pets import api as pets
from balcao.registry.person.phones import api as phones
from balcao.registry.person.phones.jobs import JOBS as PHONE_JOBS
from balcao.registry.person.settings import api as settings
from balcao.registry.person.tickets import api as tickets
from balcao.registry.person.validators import api as validators
from balcao.registry.person.wallet import api as wallet
from balcao.registry.rights import api as rights
from balcao.registry.rights.holdings import RETENTION as HELD
from balcao.registry.running import running

ROOMS = (
    citizens,
    wallet,
    tickets,
    declared,
    phones,
    validators,
    settings,
    avatars,
    notifications,
    categories,
    departments,
    staff_departments,
    activities,
    companies,
    pets,
    mobility,
    crm_sync,
    rights,
    crm_proxies,
    crm_mirror,
    crm_admin,
    dead_letters,
    health,
)

SERVICE = Service(
    name="registry",
    prefix="/registry",
    base="/v1",
    title="Balcão: registro do cidadão",
    version="1.0",
    package=__name__,
    routes=[route for room in ROOMS for route in room.ROUTES],
    dialects={"": ERROR_TEXT},
    tags=[
        "citizen",
        "rights",
        "validators",
        "settings",
        "avatars",
        "preferences",
        "notification-categories",
        "departments",
        "companies",
        "pets",
        "mobility",
        "crm",
        "jobs",
    ],
    jobs=[*PUSH_JOBS, *CRM_JOBS, *LETTER_JOBS, *PHONE_JOBS],
    retention=[*HELD, *LETTERS],
    running=running,
    demo=DEMO,
)
