"""The copies of the registry records of people who apply."""

from balcao.core.audit.personal_data import OwnRows
from balcao.core.audit.retention import OldRows
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.employability.registry_people import PersonRecord
from balcao.employability.selection.people import store
from balcao.employability.selection.people.jobs import KINDS

FEATURE = Feature(
    jobs=KINDS,
    retention=[OldRows("candidate_copy", store.count_copies, store.delete_unneeded_copies)],
    # This feature exports nothing, because the table is only a copy and the registry exports the data.
    personal_data=OwnRows("employability.candidate", kind="candidate_copy", fields=PersonRecord.__struct_fields__),
    exports=Exports(derived=("employability.candidate",)),
)
