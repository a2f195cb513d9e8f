"""Events of the CRM whose job is dead, to an operator."""

from balcao.registry.crm.events import store
from balcao.registry.crm.events.service import EVENT_JOB
from balcao.registry.dead_letters.about import About

ABOUT = About(EVENT_JOB, "event", store.events, store.events_of, store.give_up_event)
