"""Codes that could not be sent, to an operator."""

from balcao.core.jobs.declaration import About
from balcao.registry.person.phones import store
from balcao.registry.person.phones.service import CODE_JOB

ABOUT = About(CODE_JOB, "verification", store.verifications, store.verifications_of, store.erase_code)
