"""Wire types for a client's own calls."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints

from balcao.access.conventions import SliceQuery

Statuses = Annotated[str, StringConstraints(pattern=r"^[1-5](xx|[0-9]{2})$")]
Code = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]{1,100}$")]

RequestId = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,100}$")]


class OwnCallsQuery(SliceQuery):
    """The filters of the calls."""

    status: Annotated[
        Statuses | None, Field(description="Um status, ou todos de uma classe: `4xx`.", examples=["4xx"])
    ] = None
    code: Annotated[Code | None, Field(description="Só as recusas com este `Error-Code`.", examples=["too-many"])] = (
        None
    )
    request_id: Annotated[
        RequestId | None,
        Field(description="Só a chamada com este `X-Request-ID`.", examples=["0195d9a0-0000-7000-8000-000000000001"]),
    ] = None

    @property
    def bounds(self) -> tuple[int, int]:
        """The lowest and the highest status to include."""
        if self.status is None:
            return 100, 599
        if self.status.endswith("xx"):
            first = int(self.status[0]) * 100
            return first, first + 99
        return int(self.status), int(self.status)


class OwnCall(msgspec.Struct):
    """A call, without the content of its request and response."""

    at: Annotated[datetime, Meta(description="Quando.", examples=["2026-03-02T12:00:00Z"])]
    operation: Annotated[str, Meta(description="A operação.", examples=["registry.read_preferences"])]
    status: Annotated[int, Meta(description="O status da resposta.", examples=[403])]
    code: Annotated[
        str | None,
        Meta(
            description="O `Error-Code`; de um token recusado, a conferência que falhou; nulo sem recusa.",
            examples=["forbidden"],
        ),
    ]
    meaning: Annotated[
        str | None,
        Meta(description="O que o código quer dizer; nulo sem código.", examples=["O token venceu."]),
    ]
    remedy: Annotated[
        str | None,
        Meta(description="O que fazer; nulo sem código.", examples=["Peça outro antes do fim (`expires_in`)."]),
    ]
    request_id: Annotated[str, Meta(description="O `X-Request-ID`.", examples=["0195d9a0-0000-7000-8000-000000000001"])]
    duration_ms: Annotated[float, Meta(description="Quanto levou, em milissegundos.", examples=[1.25])]


class OwnCalls(msgspec.Struct):
    """A page of the client's recent calls."""

    client: Annotated[str, Meta(description="O cliente de quem são as chamadas.", examples=["portal-servidor"])]
    items: Annotated[list[OwnCall], Meta(description="Chamadas, a última primeiro.")]
    skip: Annotated[int, Meta(description="Quantas foram puladas.", examples=[0])]
    limit: Annotated[int, Meta(description="Chamadas por parte.", examples=[50])]
    has_more: Annotated[bool, Meta(description="Se há mais depois destas.", examples=[True])]
