"""Leases: only one process at a time creates a person's CRM account, or files their anonymisation request."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

PERSONAL_DATA = PersonalData("crm_leases", tables=("registry.crm_lease",))


FEATURE = Feature(personal_data=PERSONAL_DATA, exports=Exports(derived=("registry.crm_lease",)))
