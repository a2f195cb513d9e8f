"""Signed calls that tell other systems of each public change."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.webhooks import api, jobs

FEATURE = Feature(routes=api.routes.declared, jobs=jobs.JOBS, exports=Exports(tables=("health_units.webhooks",)))
