"""Changes that the CRM is still to be told and whose job is dead, to an operator."""

from balcao.registry.dead_letters import store
from balcao.registry.dead_letters.about import About

ABOUT = About("crm_push", "outbox", store.pushes, store.pushes_of, store.give_up_push)
