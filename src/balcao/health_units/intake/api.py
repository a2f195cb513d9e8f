"""The route that lists the sources of notifications."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.database.gauges import Gauge
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.intake import jobs, notifications, service, store, units
from balcao.health_units.intake.schemas import RiskSources
from balcao.health_units.routes import ROUTES

routes = ROUTES.extend(tags=["risco"])


@routes.get(
    "/fontes",
    "health_units.list_sources",
    action("risk_notification:read"),
    "Fontes de notificações e o seu sinal de vida",
)
async def get_intake_sources(call: Call) -> RiskSources:
    """Lista os sistemas da secretaria que a plataforma lê a cada minuto. Mostra quando cada um respondeu pela última
    vez, quando trouxe algo novo e qual foi a última falha.
    """
    return await service.list_intake_sources(call)


FEATURE = Feature(
    routes=routes.declared,
    jobs=jobs.JOBS,
    imports=[units.IMPORT, notifications.IMPORT],
    gauges=[
        Gauge(
            "balcao_risk_source_silence_seconds",
            "Seconds since a system of the health department last answered",
            ("source",),
            store.measure_silence,
        )
    ],
    exports=Exports(derived=("health_units.sources",)),
)
