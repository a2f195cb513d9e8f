"""The head of a resume, which the other parts hang on."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.feature import Feature

FEATURE = Feature(personal_data=PersonalData("resume_root", tables=("employability.resume",)))
