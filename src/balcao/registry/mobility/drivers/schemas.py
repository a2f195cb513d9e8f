"""Wire types for driver links and invitations (rules: registry 3.6)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.registry.members import CpfForViewer, CreatedAt, UpdatedAt
from balcao.registry.mobility.catalogue.schemas import ColourName, VehicleType


class LinkStatus(StrEnum):
    """The state of a link. `pending` and `accepted` links are open. The other two states are final."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REVOKED = "revoked"


class EmailStatus(StrEnum):
    """The status of the invitation e-mail. `queued`: an attempt to send it has started. The attempt may be retried."""

    PENDING = "pending"
    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"
    SKIPPED = "skipped"


LinkId: TypeAlias = Annotated[
    str, Meta(description="Id do vínculo ou convite.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"])
]
VehicleIdText: TypeAlias = Annotated[
    str, Meta(description="Id do veículo.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e70"])
]
Status: TypeAlias = Annotated[
    LinkStatus,
    Meta(description="Situação do vínculo: pendente, aceito, recusado ou desfeito.", examples=["pending"]),
]


class InvitedVehicle(msgspec.Struct, kw_only=True):
    """The vehicle as an invitee sees it."""

    display_name: Annotated[
        str | None, Meta(description="Nome que o dono deu ao veículo.", examples=["Bicicleta do trabalho"])
    ]
    brand_label: Annotated[
        str | None, Meta(description="Marca, do catálogo ou como o dono a escreveu.", examples=["Brisa"])
    ]
    model_label: Annotated[
        str | None, Meta(description="Modelo, do catálogo ou como o dono o escreveu.", examples=["Urbana"])
    ]
    vehicle_type: Annotated[VehicleType, Meta(description="Tipo do veículo.", examples=["bicicleta_eletrica"])]
    color: ColourName
    vehicle_photo_url: Annotated[
        str | None,
        Meta(
            description="Endereço https da foto do veículo.",
            examples=["https://storage.googleapis.com/porto-aurora-demo/foto.jpg"],
        ),
    ]


class ConductorInvite(msgspec.Struct):
    """The person to invite, as the owner describes them."""

    cpf: Annotated[str, Meta(description="CPF do convidado, 11 dígitos.", examples=["90000000418"])]
    email: Annotated[
        str, Meta(description="E-mail para onde vai o aviso do convite.", examples=["davi@pessoa.example"])
    ]
    name: Annotated[str | None, Meta(description="Nome do convidado, até 120 caracteres.", examples=["Davi"])] = None
    phone: Annotated[
        str | None, Meta(description="Telefone do convidado, até 20 caracteres.", examples=["+5521990000004"])
    ] = None


class InvitationAnswer(msgspec.Struct):
    """The invitee's answer to an invitation."""

    status: Annotated[
        str,
        Meta(
            description="A resposta: `accepted` (aceita) ou `rejected` (recusa).",
            examples=["accepted"],
            extra_json_schema={"enum": ["accepted", "rejected"]},
        ),
    ]


class Conductor(msgspec.Struct, kw_only=True):
    """A driver link.

    An accepted link shows the data in the driver's own record, if there is any. Any other link shows the data that the
    owner typed.
    """

    id: LinkId
    vehicle_id: VehicleIdText
    conductor_cpf: CpfForViewer
    conductor_name: Annotated[
        str | None,
        Meta(
            description="Nome: o que o dono escreveu ou, depois do aceite, o do cadastro do condutor.",
            examples=["Bruno"],
        ),
    ]
    notify_email: Annotated[
        str | None,
        Meta(
            description="E-mail: o que o dono escreveu ou, depois do aceite, o do cadastro do condutor.",
            examples=["bruno@pessoa.example"],
        ),
    ]
    phone: Annotated[
        str | None,
        Meta(
            description="Telefone: o que o dono escreveu ou, depois do aceite, o do cadastro do condutor.",
            examples=["+5521990000002"],
        ),
    ]
    status: Status
    invited_by_cpf: Annotated[
        str | None,
        Meta(
            description="CPF de quem convidou: completo para a própria pessoa, mascarado para as outras.",
            examples=["***.000.001-**"],
        ),
    ]
    email_status: Annotated[
        EmailStatus,
        Meta(description="Andamento do e-mail do convite; o convite vale mesmo sem ele.", examples=["sent"]),
    ]
    email_attempted_at: Annotated[
        datetime | None,
        Meta(description="Última tentativa de enviar o e-mail (RFC 3339).", examples=["2026-03-02T12:31:00Z"]),
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt
    responded_at: Annotated[
        datetime | None, Meta(description="Quando o convidado respondeu (RFC 3339).", examples=["2026-03-03T09:00:00Z"])
    ]


class Conductors(msgspec.Struct):
    """A vehicle's open links."""

    data: Annotated[list[Conductor], Meta(description="Condutores convidados e aceitos, do mais antigo ao mais novo.")]


class VehicleInvitation(msgspec.Struct, kw_only=True):
    """A pending invitation as its invitee sees it."""

    id: LinkId
    vehicle_id: VehicleIdText
    status: Status
    invited_by_cpf: CpfForViewer
    owner_name: Annotated[
        str | None, Meta(description="Nome do dono do veículo, do seu cadastro.", examples=["Ana Beatriz"])
    ]
    vehicle: Annotated[InvitedVehicle, Meta(description="O que o convidado vê do veículo.")]
    created_at: CreatedAt


class VehicleInvitations(msgspec.Struct):
    """A person's pending invitations."""

    data: Annotated[list[VehicleInvitation], Meta(description="Convites pendentes, do mais novo ao mais antigo.")]


class DrivenVehicle(Conductor, kw_only=True):
    """A driver link in the driver's data export."""

    vehicle: Annotated[InvitedVehicle, Meta(description="O que o condutor vê do veículo.")]
