"""The type of this service's export file."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from balcao.core.audit.personal_data import ExportMember, FileMember, describe_members


class JobsExport(msgspec.Struct):
    """Everything that the job listings store about a person."""


def make_export_type(members: Iterable[ExportMember]) -> type[msgspec.Struct]:
    """Return the type of the export file.

    It contains the members in their order, each with its type and description.
    """
    made_at = FileMember("exportado_em", datetime, "Quando o arquivo foi feito (RFC 3339).")
    fields = describe_members([made_at, *members])
    namespace = {"__doc__": JobsExport.__doc__}
    return msgspec.defstruct(JobsExport.__name__, fields, bases=(JobsExport,), namespace=namespace)
