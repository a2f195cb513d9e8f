"""Events of the CRM whose job is dead, to an operator."""

from balcao.core.jobs.declaration import About
from balcao.registry.crm.events import store

ABOUT = About(store.EVENT_JOB, "event", store.events, store.events_of, store.give_up_event)
