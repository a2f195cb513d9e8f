"""Wire types for the phrases."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.http.paging import PageQuery
from balcao.search import members

Phrases: TypeAlias = Annotated[
    list[str],
    Meta(
        description="Até 50 frases, cada uma de 1 a 100 caracteres.",
        examples=[["galho encostando no fio", "árvore tapando a luz do poste"]],
    ),
]


class PhrasesBody(msgspec.Struct):
    """The phrases that citizens use to ask for a service."""

    phrases: Phrases


class ServicePhrases(msgspec.Struct):
    """The phrases that citizens use to ask for a service, and the last editor of the list."""

    service_id: members.ServiceId
    phrases: Phrases
    updated_at: (
        Annotated[
            int, Meta(description="Última mudança, em segundos Unix; nulo se não há frases.", examples=[1791232200])
        ]
        | None
    )
    updated_by: (
        Annotated[str, Meta(description="Quem mudou; nulo se não há frases.", examples=["Marta Queiroz"])] | None
    )


class PhraseProposal(msgspec.Struct):
    """A query of citizens that may be a phrase of a service."""

    query: Annotated[str, Meta(description="A busca, em forma canônica.", examples=["galho no fio"])]
    searches: Annotated[int, Meta(description="Quantas vezes foi feita, em 90 dias.", examples=[40])]
    found_nothing: Annotated[int, Meta(description="Quantas destas vezes nada achou.", examples=[0])]
    opened: Annotated[int, Meta(description="Quantas vezes alguém abriu um serviço a partir dela.", examples=[1])]
    last_day: Annotated[str, Meta(description="Último dia, em UTC.", examples=["2026-10-03"])]


class ProposalQuery(PageQuery):
    """The filter and the page of the proposals."""

    outcome: Annotated[
        Literal["nothing", "unopened"] | None,
        Meta(
            description="Só as buscas que nada acharam ao menos cinco vezes, ou só as outras, que quase ninguém abriu."
        ),
    ] = None


class PhraseProposals(msgspec.Struct):
    """A page of the proposals."""

    found: Annotated[int, Meta(description="Quantas propostas há.", examples=[1])]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[1])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Propostas por página.", examples=[10])]
    proposals: Annotated[list[PhraseProposal], Meta(description="As propostas, da mais à menos frequente.")]
