"""When units open: their week, and single days instead of it."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.health_units.timetables import api

FEATURE = Feature(
    routes=api.routes.declared,
    exports=Exports(tables=("health_units.unit_exceptions",), derived=("health_units.unit_weekly_hours",)),
)
