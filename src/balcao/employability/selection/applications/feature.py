"""Applications of citizens for jobs."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Demo, Feature
from balcao.employability.selection.applications import api, decision_api, demo
from balcao.employability.selection.applications.personal_data import PERSONAL_DATA
from balcao.employability.selection.applications.retention import RETENTION

FEATURE = Feature(
    routes=[*api.routes.declared, *decision_api.routes.declared],
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    demo=Demo(demo.load, demo.examples),
    exports=Exports(
        tables=("employability.application", "employability.application_content", "employability.application_event"),
        derived=("employability.application_tally",),
    ),
)
