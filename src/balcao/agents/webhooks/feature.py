"""Signed calls that tell running agents of each change of the active version."""

from balcao.agents.webhooks import api, jobs
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(routes=api.routes.declared, jobs=jobs.JOBS, exports=Exports(tables=("agents.webhooks",)))
