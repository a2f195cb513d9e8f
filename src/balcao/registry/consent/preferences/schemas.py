"""Wire types of the notification preferences and of what forms offer about them."""

from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType


class Preferences(msgspec.Struct):
    """`category_opt_ins` has every active category (spec: notification preferences of a citizen)."""

    cpf: str
    opt_in: bool
    category_opt_ins: dict[str, bool]
    updated_at: datetime


class PreferencesBody(msgspec.Struct):
    """What is left out is kept; null is nowhere a value."""

    channel: str
    opt_in: bool | UnsetType = UNSET
    category_opt_ins: dict[str, bool] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ChoiceBody(msgspec.Struct):
    """For one category."""

    opt_in: bool
    channel: str
    reason: str | UnsetType = UNSET


class Channel(msgspec.Struct, frozen=True):
    code: str
    name: str


class Channels(msgspec.Struct, frozen=True):
    channels: tuple[Channel, ...]


class OptOutReason(msgspec.Struct, frozen=True):
    code: str
    title: str
    subtitle: str


class OptOutReasons(msgspec.Struct, frozen=True):
    reasons: tuple[OptOutReason, ...]
