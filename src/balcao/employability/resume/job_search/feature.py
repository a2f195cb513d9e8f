"""A person's situation and what kind of work they look for."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.resume.job_search import api

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PersonalData(
        "resume_job_search", tables=("employability.job_search", "employability.preferred_contract")
    ),
    exports=Exports(tables=("employability.job_search", "employability.preferred_contract")),
)
