"""The sections as personal data: exported with the whole resume, and erased with its root."""

from balcao.core.audit.personal_data import PersonalData
from balcao.employability.resume.sections.records import SECTIONS

PERSONAL_DATA = PersonalData("resume_sections", tables=tuple(section.table for section in SECTIONS))
