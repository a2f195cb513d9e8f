"""The tickets that citizens have in the CRM, which they see with all their orders."""

from balcao.core.feature import Feature
from balcao.registry.crm.tickets import api

FEATURE = Feature(routes=api.routes.declared)
