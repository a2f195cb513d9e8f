"""The notifications of risk."""

from balcao.core.database.gauges import Gauge
from balcao.core.feature import Feature
from balcao.health_units.notifications import api, store

FEATURE = Feature(
    routes=api.routes.declared,
    gauges=[
        Gauge(
            "balcao_risk_outdated_notifications",
            "Active notifications that nobody has changed or confirmed for 24 hours",
            (),
            store.count_outdated,
        )
    ],
    exports=store.EXPORTS,
)
