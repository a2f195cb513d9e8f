"""The skills that a person claims."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.feature import Feature

FEATURE = Feature(personal_data=PersonalData("resume_skills", tables=("employability.skill_link",)))
