"""The CRM integration: its events come in, changes of citizens are pushed out, and portals reach it by proxies."""

from balcao.registry.crm.events.feature import FEATURE as EVENTS
from balcao.registry.crm.lease.feature import FEATURE as LEASE
from balcao.registry.crm.login.feature import FEATURE as LOGIN
from balcao.registry.crm.proxies.feature import FEATURE as PROXIES
from balcao.registry.crm.push.feature import FEATURE as PUSH
from balcao.registry.crm.reconciliation.feature import FEATURE as RECONCILIATION
from balcao.registry.crm.state.feature import FEATURE as STATE
from balcao.registry.crm.tickets.feature import FEATURE as TICKETS

FEATURES = (EVENTS, LEASE, LOGIN, PUSH, PROXIES, TICKETS, RECONCILIATION, STATE)
