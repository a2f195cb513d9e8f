"""Wire types for notification preferences and form options."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.registry.paths import CpfText

ChannelText: TypeAlias = Annotated[
    str,
    Meta(
        description=(
            "Canal em que o cidadão escolheu: de 1 a 32 letras minúsculas, algarismos, `_`, `.` ou `-`. Os "
            "recomendados estão em `/config/channels`."
        ),
        examples=["web"],
    ),
]
ReasonText: TypeAlias = Annotated[
    str,
    Meta(
        description=(
            "Motivo da mudança, até 500 caracteres: um código de `/config/opt-out-reasons` ou texto livre, sem dados "
            "pessoais."
        ),
        examples=["too_many_messages"],
    ),
]


class Preferences(msgspec.Struct):
    """A citizen's preferences (spec: notification preferences of a citizen).

    `category_opt_ins` contains every active category.
    """

    cpf: CpfText
    opt_in: Annotated[bool, Meta(description="Se o cidadão aceita receber notificações.", examples=[True])]
    category_opt_ins: Annotated[
        dict[str, bool],
        Meta(
            description="Cada categoria ativa, pelo identificador, e se o cidadão a aceita.",
            examples=[{"courses": True, "health": False}],
        ),
    ]
    updated_at: Annotated[
        datetime,
        Meta(
            description="Última mudança do cidadão; sem nenhuma, a última das categorias.",
            examples=["2026-03-02T14:05:09.120000Z"],
        ),
    ]


class PreferencesBody(msgspec.Struct):
    """A change of preferences. Omitted members do not change. No member may be null."""

    channel: ChannelText
    opt_in: Annotated[
        bool | UnsetType,
        Meta(description="Se aceita receber notificações; sem ele, fica como está.", examples=[True]),
    ] = UNSET
    category_opt_ins: Annotated[
        dict[str, bool] | UnsetType,
        Meta(
            description="Escolhas por categoria ativa; as que não vêm ficam como estão.", examples=[{"courses": True}]
        ),
    ] = UNSET
    reason: ReasonText | UnsetType = UNSET


class ChoiceBody(msgspec.Struct):
    """A choice for one category."""

    opt_in: Annotated[bool, Meta(description="Se aceita a categoria.", examples=[False])]
    channel: ChannelText
    reason: ReasonText | UnsetType = UNSET
