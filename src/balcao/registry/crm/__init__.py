"""The CRM integration: receive the CRM's events, push citizens' changes, and offer proxy operations for portals."""

from balcao.registry.crm.events.api import FEATURE as EVENTS
from balcao.registry.crm.lease.feature import FEATURE as LEASE
from balcao.registry.crm.login.api import FEATURE as LOGIN
from balcao.registry.crm.proxies.api import FEATURE as PROXIES
from balcao.registry.crm.push.feature import FEATURE as PUSH
from balcao.registry.crm.reconciliation.api import FEATURE as RECONCILIATION
from balcao.registry.crm.state.api import FEATURE as STATE
from balcao.registry.crm.tickets.api import FEATURE as TICKETS

FEATURES = (EVENTS, LEASE, LOGIN, PUSH, PROXIES, TICKETS, RECONCILIATION, STATE)
