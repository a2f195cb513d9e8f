"""Events of the CRM whose job is dead, to an operator."""

from balcao.core.jobs.declaration import About
from balcao.registry.crm.events import store
from balcao.registry.crm.events.service import EVENT_JOB

ABOUT = About(EVENT_JOB, "event", store.events, store.events_of, store.give_up_event)
