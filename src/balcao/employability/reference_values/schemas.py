"""Wire types of the reference values."""

from datetime import datetime
from uuid import UUID

import msgspec


class ReferenceValue(msgspec.Struct):
    """A reference value: an availability or a work model (spec: employability records)."""

    id: UUID
    descricao: str
    created_at: datetime
    updated_at: datetime


class ReferenceBody(msgspec.Struct):
    """`id`, `created_at` and `updated_at` may be sent and are ignored."""

    descricao: str
