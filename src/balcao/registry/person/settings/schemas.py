"""Wire types of a citizen's settings besides the preferences (rules: registry 2.2)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

OptInFlag: TypeAlias = Annotated[bool, Meta(description="Se o cidadão aceita receber notificações.", examples=[True])]


class FirstLogin(msgspec.Struct):
    """Whether the first login is still to come. True until the flag is set."""

    firstlogin: Annotated[bool, Meta(description="Verdadeiro até que o primeiro acesso termine.", examples=[False])]


class OptIn(msgspec.Struct):
    """The same values as in the notification preferences."""

    opt_in: OptInFlag
    category_opt_ins: Annotated[
        dict[str, bool],
        Meta(
            description="Cada categoria ativa, pelo identificador, e se o cidadão a aceita.",
            examples=[{"courses": True, "health": False}],
        ),
    ]


class OptInBody(msgspec.Struct):
    """A change of the opt-ins. Omitted categories do not change."""

    opt_in: OptInFlag
    category_opt_ins: Annotated[
        dict[str, bool] | UnsetType,
        Meta(
            description="Escolhas por categoria ativa; as que não vêm ficam como estão.", examples=[{"courses": True}]
        ),
    ] = UNSET
