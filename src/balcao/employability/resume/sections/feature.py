"""The sections of a resume: schooling, languages, courses, experiences, achievements."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.resume.sections import api
from balcao.employability.resume.sections.personal_data import PERSONAL_DATA

FEATURE = Feature(
    routes=api.routes.declared,
    personal_data=PERSONAL_DATA,
    exports=Exports(
        tables=(
            "employability.education",
            "employability.resume_language",
            "employability.course",
            "employability.experience",
            "employability.achievement",
        )
    ),
)
