"""The export file of this service."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from balcao.core.audit.personal_data import ExportMember


class JobsExport(msgspec.Struct):
    """Everything that the job listings hold of a person."""


def make_export_type(members: Iterable[ExportMember]) -> type[msgspec.Struct]:
    """Return the type of the export file: its members in their order, each with its description."""
    fields: list[tuple[str, Any]] = [
        ("exportado_em", Annotated[datetime, Meta(description="Quando o arquivo foi feito (RFC 3339).")]),
        *((member.name, Annotated[Any, Meta(description=member.description)]) for member in members),
    ]
    namespace = {"__doc__": JobsExport.__doc__}
    return msgspec.defstruct(JobsExport.__name__, fields, bases=(JobsExport,), namespace=namespace)
