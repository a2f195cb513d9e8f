"""The older jobs."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.legacy_jobs import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("employability.legacy_job",)))
