"""Wire types of the avatars (rules: registry 2.2)."""

from datetime import datetime

import msgspec


class Avatar(msgspec.Struct):
    id: str
    name: str
    url: str
    is_active: bool
    created_at: datetime


class Avatars(msgspec.Struct):
    """By name; the members of the page lie flat beside the data."""

    data: list[Avatar]
    page: int
    per_page: int
    total: int
    total_pages: int


class NewAvatar(msgspec.Struct):
    name: str
    url: str


class AvatarChoiceBody(msgspec.Struct):
    """Null removes the choice."""

    avatar_id: str | None


class AvatarChoice(msgspec.Struct):
    """Both null when none is chosen or the chosen one is no longer offered."""

    avatar_id: str | None
    avatar: Avatar | None
