"""Changes that the CRM is still to be told and whose job is dead, to an operator."""

from balcao.core.jobs.declaration import About
from balcao.registry.dead_letters import store

ABOUT = About("crm_push", "outbox", store.pushes, store.pushes_of, store.give_up_push)
