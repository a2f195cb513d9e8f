"""The head of a resume, which the other parts hang on."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.resume.profiles.retention import RETENTION

FEATURE = Feature(
    retention=RETENTION,
    personal_data=PersonalData("resume_root", tables=("employability.resume",)),
    exports=Exports(tables=("employability.resume",)),
)
