"""Wire types for the change feed (rules: search 2.5)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from balcao.search import members
from balcao.search.public import PublicService

MOST_CHANGES = 500
DEFAULT_CHANGES = 100


class FeedQuery(msgspec.Struct):
    """The position after which to continue, and the maximum number of changes."""

    after: Annotated[
        str | None,
        Meta(description="O `after` da resposta anterior; sem ele, o catálogo desde o começo.", examples=[""]),
    ] = None
    limit: Annotated[
        int, Meta(ge=1, le=MOST_CHANGES, description="Quantas mudanças no máximo, até 500.", examples=[100])
    ] = DEFAULT_CHANGES


class FeedEntry(msgspec.Struct):
    """The last change of a service."""

    id: members.ServiceId
    change: Annotated[
        Literal["published", "removed"],
        Meta(description="`published`: o serviço está publicado, como em `service`; `removed`: deixou de estar."),
    ]
    changed_at: Annotated[int, Meta(description="Quando mudou, em segundos Unix.", examples=[1791235800])]
    service: Annotated[PublicService | None, Meta(description="O serviço como é agora; nulo se foi retirado.")]


class Feed(msgspec.Struct):
    """A page of changes, in the order in which they were committed."""

    changes: Annotated[list[FeedEntry], Meta(description="As mudanças, da mais antiga à mais nova.")]
    after: Annotated[
        str,
        Meta(
            description="A marca a enviar em `after` na próxima chamada. Não a interprete.",
            examples=["AAAAAAAAACrBuOScNv7FsoPv"],
        ),
    ]
    has_more: Annotated[bool, Meta(description="Se já há outras mudanças depois destas.", examples=[False])]
