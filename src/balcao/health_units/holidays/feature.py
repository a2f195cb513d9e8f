"""The city's holidays."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.holidays import api, jobs

FEATURE = Feature(
    routes=api.routes.declared,
    jobs=jobs.JOBS,
    exports=Exports(tables=("health_units.holidays", "health_units.holiday_years")),
)
