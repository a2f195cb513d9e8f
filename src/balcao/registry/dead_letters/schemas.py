"""Parameters of the operations on dead-lettered jobs."""

from typing import Annotated

import msgspec

from balcao.core.http.paging import PageQuery


class DeadLetterQuery(PageQuery):
    kind: str | None = None
    cpf: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{11}$")] | None = None


class DropQuery(msgspec.Struct):
    reason: Annotated[str, msgspec.Meta(min_length=3, max_length=200)]
