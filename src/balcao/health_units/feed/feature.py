"""Announces each change to every process and every listener."""

from balcao.core.audit.retention import Retention
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.feed import api, service

FEATURE = Feature(
    routes=api.routes.declared,
    retention=[Retention("health_unit_changes", service.apply_retention)],
    exports=Exports(tables=("health_units.change_feed",), derived=("health_units.feed_counter",)),
)
