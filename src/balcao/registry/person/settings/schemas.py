"""Wire types for a citizen's settings, except the notification preferences (rules: registry 2.2)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

OptInFlag: TypeAlias = Annotated[bool, Meta(description="Se o cidadão aceita receber notificações.", examples=[True])]


class FirstLogin(msgspec.Struct):
    """The first-login flag. It is true until the first login is complete."""

    firstlogin: Annotated[bool, Meta(description="Verdadeiro até que o primeiro acesso termine.", examples=[False])]


class OptIn(msgspec.Struct):
    """A short form of the notification preferences, with the same values but without the time of the last change."""

    opt_in: OptInFlag
    category_opt_ins: Annotated[
        dict[str, bool],
        Meta(
            description="Cada categoria ativa, pelo identificador, e se o cidadão a aceita.",
            examples=[{"courses": True, "health": False}],
        ),
    ]


class OptInBody(msgspec.Struct):
    """A change to the notification preferences. Omitted categories do not change."""

    opt_in: OptInFlag
    category_opt_ins: Annotated[
        dict[str, bool] | UnsetType,
        Meta(
            description="Escolhas por categoria ativa; as que não vêm ficam como estão.", examples=[{"courses": True}]
        ),
    ] = UNSET
