"""The wire type for the token check."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class TokenStatus(msgspec.Struct):
    """The response to a valid token."""

    status: Annotated[Literal["ok"], Meta(description="Sempre `ok`: um token inválido recebe 401.")]
