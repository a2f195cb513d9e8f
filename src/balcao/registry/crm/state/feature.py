"""How the CRM integration fares, and the mirror as it stands."""

from balcao.core.database.gauges import Gauge
from balcao.core.feature import Feature
from balcao.registry.crm.state import api, store

FEATURE = Feature(
    routes=api.routes.declared,
    gauges=[
        Gauge(
            "balcao_crm_oldest_seconds",
            "How long the oldest CRM event has waited to be applied, and the oldest own change to be sent",
            ("what",),
            store.find_oldest,
        )
    ],
)
