"""Citizen registry: who a citizen is and how the city may reach them."""

from balcao.core.dialects import ERROR_TEXT
from balcao.core.service import Service
from balcao.registry.avatars import api as avatars
from balcao.registry.citizens import api as citizens
from balcao.registry.crm_sync import api as crm_sync
from balcao.registry.crm_sync.jobs import JOBS
from balcao.registry.demo import DEMO
from balcao.registry.health import api as health
from balcao.registry.notifications import api as notifications
from balcao.registry.notifications.categories import api as categories
from balcao.registry.running import running
from balcao.registry.settings import api as settings

SERVICE = Service(
    name="registry",
    prefix="/registry",
    base="/v1",
    title="Balcão: registro do cidadão",
    version="1.0",
    package=__name__,
    routes=[
        *citizens.ROUTES,
        *settings.ROUTES,
        *avatars.ROUTES,
        *notifications.ROUTES,
        *categories.ROUTES,
        *crm_sync.ROUTES,
        *health.ROUTES,
    ],
    dialects={"": ERROR_TEXT},
    tags=["citizen", "crm", "mobility", "departments", "notification-categories", "preferences", "settings", "avatars"],
    jobs=JOBS,
    running=running,
    demo=DEMO,
)
