"""The skills that a person claims."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.resume.skill_links import api

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PersonalData("resume_skills", tables=("employability.skill_link",)),
    exports=Exports(tables=("employability.skill_link",)),
)
