"""Access administration: the catalogue of actions that governs every operation of the platform."""

from balcao.access import shipped
from balcao.access.actions import api as actions
from balcao.access.demo import DEMO
from balcao.access.ready import ready
from balcao.core.http.dialects import DETAIL
from balcao.core.http.health import PATHS
from balcao.core.service import Service

SERVICE = Service(
    name="access",
    prefix="/access",
    title="Balcão: administração de acessos",
    package=__name__,
    routes=actions.ROUTES,
    dialects={"": DETAIL},
    tags=["acessos"],
    shipped=shipped.load,
    ready=ready,
    health_paths={**PATHS, "liveness_v1": "/api/v1/healthz", "readiness_v1": "/api/v1/readyz"},
    demo=DEMO,
)
