"""The notification preferences."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.registry.consent.preferences import api, demo
from balcao.registry.consent.preferences.personal_data import PERSONAL_DATA

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load),
    exports=Exports(tables=("registry.preferences", "registry.preference_choice")),
)
