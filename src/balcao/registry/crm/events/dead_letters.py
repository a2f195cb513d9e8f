"""Events of the CRM whose job is dead, to an operator."""

from balcao.registry.crm.events import store
from balcao.registry.dead_letters.about import About

ABOUT = About(store.EVENT_JOB, "event", store.events, store.events_of, store.give_up_event)
