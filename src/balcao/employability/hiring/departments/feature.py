"""The departments that jobs refer to, copied from the registry."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.hiring.departments.jobs import KINDS

FEATURE = Feature(jobs=KINDS, exports=Exports(tables=("employability.department",)))
