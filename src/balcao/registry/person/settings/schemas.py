"""Wire types of what a citizen sets besides the preferences (rules: registry 2.2)."""

import msgspec
from msgspec import UNSET, UnsetType


class FirstLogin(msgspec.Struct):
    """True until it is set."""

    firstlogin: bool


class OptIn(msgspec.Struct):
    """The same values as in the notification preferences."""

    opt_in: bool
    category_opt_ins: dict[str, bool]


class OptInBody(msgspec.Struct):
    opt_in: bool
    category_opt_ins: dict[str, bool] | UnsetType = UNSET
