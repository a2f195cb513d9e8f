"""Wire types of the published services (rules: search 2.3, 2.6)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from balcao.search import members
from balcao.search.public import PublicService


class UnifiedDocument(msgspec.Struct):
    """A service in the document format of the unified search."""

    id: members.ServiceId
    data: Annotated[PublicService, Meta(description="O serviço.")]
    collection: Annotated[Literal["services"], Meta(description="A coleção em que está.")] = "services"
    type: Annotated[Literal["service"], Meta(description="O que é.")] = "service"


class Moved(msgspec.Struct):
    """The current address of a service that was requested by a former slug or an old number."""

    id: members.ServiceId
    slug: members.Slug
    old_slug: (
        Annotated[str, Meta(description="O endereço anterior; nulo para um número antigo.", examples=["poda-5f0c2f0e"])]
        | None
    )
    location: Annotated[
        str, Meta(description="O mesmo que o cabeçalho `Location`, relativo.", examples=["poda-de-arvore-5f0c2f0e"])
    ]
    nome_servico: members.Name
    message: Annotated[str, Meta(description="O que houve, para pessoas.", examples=["O serviço mudou de endereço."])]


class OpeningQuery(msgspec.Struct):
    """The search from which the citizen opened the service."""

    busca: Annotated[
        str | None,
        Meta(
            description="A busca de cujos resultados a pessoa abriu o serviço. Conta sem quem a fez; com mais de 200 "
            "caracteres, cinco algarismos seguidos ou `@`, é ignorada.",
            examples=["galho no fio"],
        ),
    ] = None


class DocumentQuery(OpeningQuery):
    """`OpeningQuery` with a parameter that older clients send."""

    collection: Annotated[
        Literal["services"] | None, Meta(description="A coleção em que procurar; vazia vale como ausente.")
    ] = None
