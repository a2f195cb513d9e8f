"""What citizens see and do in the CRM through the platform."""

from balcao.core.feature import Feature
from balcao.registry.crm.proxies import api

FEATURE = Feature(routes=api.routes.declared)
