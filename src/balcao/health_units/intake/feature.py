"""What a department brings from its former system, and what is read from its present one."""

from balcao.core.database.gauges import Gauge
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.intake import api, jobs, notifications, store, units

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=jobs.JOBS,
    imports=[units.IMPORT, notifications.IMPORT],
    gauges=[
        Gauge(
            "balcao_risk_source_silence_seconds",
            "How long a system of the department that is read has not answered",
            ("source",),
            store.measure_silence,
        )
    ],
    exports=Exports(derived=("health_units.sources",)),
)
