"""Health-unit risk: whether a unit works normally or its surroundings are unsafe."""

from balcao.core.http.dialects import DETAIL
from balcao.core.service import Service
from balcao.health_units.demo import DEMO
from balcao.health_units.risk import api as risk
from balcao.health_units.running import ready, running

SERVICE = Service(
    name="health_units",
    prefix="/health-units",
    title="Balcão: risco das unidades de saúde",
    package=__name__,
    routes=risk.ROUTES,
    dialects={"": DETAIL},
    tags=["risco"],
    running=running,
    ready=ready,
    demo=DEMO,
)
