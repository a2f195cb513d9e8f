"""Leases as personal data: they end by themselves within seconds."""

from balcao.core.audit.personal_data import PersonalData

PERSONAL_DATA = PersonalData("crm_leases", tables=("registry.crm_lease",))
