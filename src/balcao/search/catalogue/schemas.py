"""Wire types for the published services (rules: search 2.3, 2.6)."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.search import members
from balcao.search.public import PublicService


class PublishedService(PublicService):
    """The public form of a service, with its other names on request."""

    tambem_conhecido_como: (
        Annotated[
            list[str],
            Meta(
                description="Outros nomes do serviço, até 8: sinônimos e frases das pessoas. Só com "
                "`include_other_names=true`.",
                examples=[["corte de galhos", "aparar a mangueira"]],
            ),
        ]
        | UnsetType
    ) = UNSET


class UnifiedDocument(msgspec.Struct):
    """A service in the document format of the unified search."""

    id: members.ServiceId
    data: Annotated[PublishedService, Meta(description="O serviço.")]
    collection: Annotated[Literal["services"], Meta(description="A coleção em que está.")] = "services"
    type: Annotated[Literal["service"], Meta(description="O que é.")] = "service"


class Moved(msgspec.Struct):
    """The current address of a service that was requested by a former slug or a number from an old system."""

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


Flag: TypeAlias = Literal["true", "1", "false", "0"]


class NamesQuery(msgspec.Struct):
    """Whether the response includes the other names of the service."""

    include_other_names: Annotated[
        Flag, Meta(description="`true` mostra também outros nomes do serviço, em `tambem_conhecido_como`.")
    ] = "false"


class OpeningQuery(NamesQuery):
    """The options of `NamesQuery`, and the search that led the citizen to the service."""

    busca: Annotated[
        str | None,
        Meta(
            description="A busca em cujos resultados a pessoa abriu o serviço. É contada sem a pessoa; com mais de 200 "
            "caracteres, cinco algarismos seguidos ou `@`, é ignorada.",
            examples=["galho no fio"],
        ),
    ] = None


class DocumentQuery(OpeningQuery):
    """`OpeningQuery` with a parameter that older clients send."""

    collection: Annotated[
        Literal["services"] | None, Meta(description="A coleção em que procurar; vazia vale como ausente.")
    ] = None
