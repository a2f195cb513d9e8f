"""Leases: one process at a time works in the CRM for a person."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.registry.crm.lease.personal_data import PERSONAL_DATA

FEATURE = Feature(personal_data=PERSONAL_DATA, exports=Exports(derived=("registry.crm_lease",)))
