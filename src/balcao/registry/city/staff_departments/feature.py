"""Which departments staff work for."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.registry.city.staff_departments import api, demo
from balcao.registry.city.staff_departments.personal_data import PERSONAL_DATA

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load),
    exports=Exports(tables=("registry.staff_department",)),
)
