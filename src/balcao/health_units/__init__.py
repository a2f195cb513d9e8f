"""Health-unit risk: whether a unit works normally or its surroundings are unsafe."""

from balcao.core.feature import Feature
from balcao.core.http.dialects import DETAIL
from balcao.core.service import Service
from balcao.health_units.demo import DEMO
from balcao.health_units.feed.feature import FEATURE as FEED
from balcao.health_units.notifications.feature import FEATURE as NOTIFICATIONS
from balcao.health_units.risk.feature import FEATURE as RISK
from balcao.health_units.running import ready, running
from balcao.health_units.units.feature import FEATURE as UNITS

SERVICE = Service(
    name="health_units",
    prefix="/health-units",
    title="Balcão: risco das unidades de saúde",
    package=__name__,
    features=[UNITS, NOTIFICATIONS, FEED, RISK, Feature(demo=DEMO)],
    dialects={"": DETAIL},
    description="A situação de risco de cada unidade de saúde, para painéis e portais.",
    tags={"risco": "A cor de risco de uma unidade e as notificações que a definem."},
    running=running,
    ready=ready,
)
