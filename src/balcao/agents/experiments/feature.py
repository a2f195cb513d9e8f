"""What agents answered to the examples of a data set, and how annotators scored it."""

from balcao.agents.experiments import api
from balcao.agents.experiments.retention import RETENTION
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(
    routes=api.routes.declared,
    retention=RETENTION,
    exports=Exports(tables=("agents.experiments", "agents.experiment_runs", "agents.experiment_scores")),
)
