"""The notification categories."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.registry.consent.categories import api

FEATURE = Feature(routes=api.routes.declared, exports=Exports(tables=("registry.notification_category",)))
