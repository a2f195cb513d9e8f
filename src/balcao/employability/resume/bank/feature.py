"""The resume bank."""

from balcao.core.audit.personal_data import PersonalData
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.resume.bank import api
from balcao.employability.resume.bank.jobs import KINDS

# The names are the registry's; they go with the acceptance of the terms.
FEATURE = Feature(
    routes=api.routes.declared,
    jobs=KINDS,
    personal_data=PersonalData("resume_bank", tables=("employability.bank_person",)),
    exports=Exports(derived=("employability.bank_person", "employability.bank_tally")),
)
