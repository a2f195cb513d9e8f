"""The health units service: the units, their opening hours, and the risk in their surroundings."""

from balcao.core.http.dialects import DETAIL
from balcao.core.service import Service
from balcao.health_units.areas.api import FEATURE as AREAS
from balcao.health_units.counts.api import FEATURE as COUNTS
from balcao.health_units.directory.api import FEATURE as DIRECTORY
from balcao.health_units.feed.api import FEATURE as FEED
from balcao.health_units.holidays import service as holidays
from balcao.health_units.holidays.api import FEATURE as HOLIDAYS
from balcao.health_units.intake.api import FEATURE as INTAKE
from balcao.health_units.lifespan import report_risk_readiness, run_health_units
from balcao.health_units.neighbourhoods.api import FEATURE as NEIGHBOURHOODS
from balcao.health_units.notifications.api import FEATURE as NOTIFICATIONS
from balcao.health_units.overview.api import FEATURE as OVERVIEW
from balcao.health_units.reference_lists.api import FEATURE as REFERENCE_LISTS
from balcao.health_units.risk.api import FEATURE as RISK
from balcao.health_units.timetables.api import FEATURE as TIMETABLES
from balcao.health_units.units.api import FEATURE as UNITS
from balcao.health_units.webhooks.api import FEATURE as WEBHOOKS

SERVICE = Service(
    name="health_units",
    prefix="/health-units",
    title="Balcão: risco das unidades de saúde",
    package=__name__,
    features=[
        UNITS,
        TIMETABLES,
        HOLIDAYS,
        NOTIFICATIONS,
        OVERVIEW,
        FEED,
        AREAS,
        NEIGHBOURHOODS,
        RISK,
        DIRECTORY,
        COUNTS,
        INTAKE,
        REFERENCE_LISTS,
        WEBHOOKS,
    ],
    dialects={"": DETAIL},
    description="As unidades de saúde: quando abrem e se o entorno é seguro, para painéis e portais.",
    tags={
        "unidades": "As unidades de saúde, com o risco em vigor e se estão abertas.",
        "horários": "Quando as unidades abrem: semana, exceções e feriados.",
        "avisos": "Sistemas que são avisados de cada mudança, por chamadas assinadas.",
        "risco": "A cor de risco de uma unidade e as notificações que a definem.",
    },
    seed=holidays.seed_holidays,
    lifespan=run_health_units,
    ready=report_risk_readiness,
    has_city_times=True,
)
