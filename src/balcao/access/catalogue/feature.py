"""The catalogue as a whole: its lock, its versions and its history."""

from balcao.access.catalogue.retention import RETENTION
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(
    retention=RETENTION, exports=Exports(tables=("access.audit_event", "access.catalogue_version", "access.change"))
)
