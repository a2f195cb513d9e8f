"""Wire types for the proposals (rules: search 3.7)."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.values.ids import UUID_PATTERN
from balcao.search import members
from balcao.search.document import ServiceContent
from balcao.search.services.schemas import ServiceChangeBody

BaseVersion: TypeAlias = Annotated[
    int, Meta(ge=1, le=2_147_483_647, description="Versão do serviço sobre a qual a proposta foi feita.", examples=[7])
]


class ProposalBody(ServiceChangeBody):
    """The proposed members of the service. Absent members are treated as in a PUT of the service.

    `awaiting_approval` belongs to the proposal. If it is absent, a new proposal awaits approval, and a changed proposal
    keeps its state. `status` and `published_at` belong to the service and are ignored.
    """


class ProposalChangeBody(ProposalBody):
    """A change of a proposal.

    `base_version` confirms that the text includes the changes up to that version, which must be the newest one.
    """

    base_version: BaseVersion | None = None


class SendBackBody(msgspec.Struct):
    """The reason for returning a proposal to its editors."""

    reason: Annotated[
        str,
        Meta(description="O que falta, de 3 a 500 caracteres, sem dados pessoais.", examples=["Falta o horário."]),
    ]


class ProposalEntry(msgspec.Struct):
    """A proposal in a list, without the long fields. Times are Unix seconds."""

    id: Annotated[
        str,
        Meta(
            description="Identificador da proposta.",
            pattern=f"^{UUID_PATTERN}$",
            examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"],
        ),
    ]
    service_id: members.ServiceId
    nome_servico: Annotated[str, Meta(description="Nome que a proposta dá ao serviço.", examples=["Poda de árvore"])]
    base_version: BaseVersion
    outdated: Annotated[
        bool, Meta(description="Se o serviço mudou depois de `base_version`: é preciso juntar os textos.")
    ]
    revision: Annotated[int, Meta(description="Quantas vezes foi gravada.", examples=[1])]
    awaiting_approval: Annotated[bool, Meta(description="Se espera aprovação; senão, está em edição.", examples=[True])]
    change_reason: members.ChangeReason | None
    changed_fields: Annotated[
        list[str], Meta(description="Campos que diferem de `base_version`.", examples=[["resumo"]])
    ]
    created_at: Annotated[int, Meta(description="Quando foi feita, em segundos Unix.", examples=[1791232200])]
    created_by: Annotated[str, Meta(description="Nome de quem propôs.", examples=["Estela Ramos"])]
    updated_at: Annotated[int, Meta(description="Última mudança, em segundos Unix.", examples=[1791232200])]
    updated_by: Annotated[str, Meta(description="Nome de quem mudou por último.", examples=["Estela Ramos"])]
    returned_at: (
        Annotated[int, Meta(description="Quando foi devolvida, em segundos Unix.", examples=[1791232200])] | None
    )
    returned_by: Annotated[str, Meta(description="Nome de quem a devolveu.", examples=["Jorge Valente"])] | None
    returned_reason: Annotated[str, Meta(description="Por que foi devolvida.", examples=["Falta o horário."])] | None


class Proposal(ProposalEntry):
    """A proposal, with the content that the service would have if the proposal were applied."""

    content: Annotated[ServiceContent, Meta(description="O conteúdo do serviço como ficaria.")]


class Proposals(msgspec.Struct):
    """A page of proposals, least recently changed first."""

    found: Annotated[int, Meta(description="Propostas que passam pelos filtros.", examples=[1])]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[1])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Propostas por página.", examples=[10])]
    proposals: Annotated[list[ProposalEntry], Meta(description="As propostas, das que mudaram há mais tempo.")]


class ProposalsQuery(msgspec.Struct, omit_defaults=True):
    """The filter and the page of the list."""

    page: Annotated[int, Meta(description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Propostas por página, até 100.", examples=[10])] = 10
    awaiting_approval: Annotated[
        Literal["true", "1", "false", "0"] | None, Meta(description="Se esperam aprovação.")
    ] = None
