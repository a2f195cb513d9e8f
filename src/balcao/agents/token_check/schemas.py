"""Wire type of the token check."""

from typing import Literal

import msgspec


class TokenStatus(msgspec.Struct):
    status: Literal["ok"]
