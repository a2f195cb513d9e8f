"""What a citizen asks of the preferences, and what of it would change something."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import UNSET, UnsetType

from balcao.core.errors import Invalid, Unprocessable
from balcao.core.values.text import clean
from balcao.registry.consent.ledger.service import Change
from balcao.registry.consent.preferences.schemas import ChoiceBody, Preferences, PreferencesBody

_CHANNEL = re.compile(r"[a-z0-9_.-]{1,32}")
REASON_LENGTH = 500


@dataclass(frozen=True)
class Wish:
    """`opt_in` None keeps the global flag; categories that `choices` leaves out keep theirs."""

    channel: str
    opt_in: bool | None = None
    choices: Mapping[str, bool] = field(default_factory=dict)
    reason: str | None = None

    @property
    def fields(self) -> list[str]:
        """The members that it is about."""
        named = {"opt_in": self.opt_in is not None, "category_opt_ins": bool(self.choices)}
        return [name for name, is_asked in named.items() if is_asked]

    def changes(self, held: Preferences) -> list[Change]:
        """Raises Unprocessable for a category that is unknown or inactive."""
        require_offered(self.choices, held)
        flag = [] if self.opt_in in (None, held.opt_in) else [Change(None, not held.opt_in)]
        shown = held.category_opt_ins
        return flag + [Change(id_, wanted) for id_, wanted in self.choices.items() if wanted != shown[id_]]

    def fulfilled(self, held: Preferences) -> Preferences:
        """The state without its new time."""
        opt_in = held.opt_in if self.opt_in is None else self.opt_in
        return Preferences(held.cpf, opt_in, held.category_opt_ins | dict(self.choices), held.updated_at)


def require_offered(categories: Iterable[str], held: Preferences) -> None:
    """Raises Unprocessable unless all of these are active categories."""
    if any(id_ not in held.category_opt_ins for id_ in categories):
        raise Unprocessable(
            "Há uma categoria desconhecida ou inativa: use as de `/notification-categories`.", code="category-unknown"
        )


def of_body(body: PreferencesBody) -> Wish:
    """Raises Invalid."""
    return Wish(
        channel=_channel(body.channel),
        opt_in=None if body.opt_in is UNSET else body.opt_in,
        choices={} if body.category_opt_ins is UNSET else body.category_opt_ins,
        reason=_reason(body.reason),
    )


def of_choice(category: str, body: ChoiceBody) -> Wish:
    """Raises Invalid."""
    return Wish(_channel(body.channel), choices={category: body.opt_in}, reason=_reason(body.reason))


def _channel(text: str) -> str:
    if not _CHANNEL.fullmatch(text):
        raise Invalid(
            "O campo `channel` deve ter de 1 a 32 letras minúsculas, algarismos, `_`, `.` ou `-`.",
            code="channel-invalid",
        )
    return text


def _reason(text: str | UnsetType) -> str | None:
    """Blank is none."""
    if text is UNSET:
        return None
    return clean("reason", text, longest=REASON_LENGTH, shortest=0, one_line=False) or None
