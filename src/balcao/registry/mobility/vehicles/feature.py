"""The vehicles of a citizen."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.registry.mobility.vehicles import api, demo
from balcao.registry.mobility.vehicles.personal_data import PERSONAL_DATA, RETENTION

FEATURE = Feature(
    routes=api.routes.declared,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load),
    exports=Exports(tables=("registry.vehicle",)),
)
