"""A requested change of preferences, and its comparison with the current preferences."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import UNSET, UnsetType

from balcao.core.context.reasons import refuse_personal_data
from balcao.core.errors import Invalid, Unprocessable
from balcao.core.values.text import clean_text
from balcao.registry.consent.ledger.service import Change
from balcao.registry.consent.preferences.schemas import ChoiceBody, Preferences, PreferencesBody

_CHANNEL = re.compile(r"[a-z0-9_.-]{1,32}")
REASON_LENGTH = 500


@dataclass(frozen=True)
class RequestedChange:
    """A requested change. If `opt_in` is None, the global flag does not change.

    Categories that `choices` omits do not change either.
    """

    channel: str
    opt_in: bool | None = None
    choices: Mapping[str, bool] = field(default_factory=dict)
    reason: str | None = None

    @property
    def fields(self) -> list[str]:
        """The names of the preferences to change, for the audit trail."""
        named = {"opt_in": self.opt_in is not None, "category_opt_ins": bool(self.choices)}
        return [name for name, is_asked in named.items() if is_asked]

    def list_changes(self, current: Preferences) -> list[Change]:
        """Return the flags to which the request assigns a different value.

        Raises Unprocessable for unknown or inactive categories.
        """
        require_active(self.choices, current)
        flag = [] if self.opt_in in (None, current.opt_in) else [Change(None, not current.opt_in)]
        shown = current.category_opt_ins
        return flag + [Change(id_, wanted) for id_, wanted in self.choices.items() if wanted != shown[id_]]

    def apply_to(self, current: Preferences) -> Preferences:
        """Return the preferences after the change. Their time does not change."""
        opt_in = current.opt_in if self.opt_in is None else self.opt_in
        return Preferences(current.cpf, opt_in, current.category_opt_ins | dict(self.choices), current.updated_at)


def require_active(categories: Iterable[str], current: Preferences) -> None:
    """Raise Unprocessable unless all of the categories are active."""
    if any(id_ not in current.category_opt_ins for id_ in categories):
        raise Unprocessable(
            "Há uma categoria desconhecida ou inativa: use as de `/notification-categories`.", code="category-unknown"
        )


def parse_preferences_body(body: PreferencesBody) -> RequestedChange:
    """Return the change that the body requests. Raises Invalid if a member is not valid."""
    return RequestedChange(
        channel=parse_channel(body.channel),
        opt_in=None if body.opt_in is UNSET else body.opt_in,
        choices={} if body.category_opt_ins is UNSET else body.category_opt_ins,
        reason=_reason(body.reason),
    )


def parse_preference_choice(category: str, body: ChoiceBody) -> RequestedChange:
    """Return the requested choice of one category. Raises Invalid if a member is not valid."""
    return RequestedChange(parse_channel(body.channel), choices={category: body.opt_in}, reason=_reason(body.reason))


def parse_channel(text: str) -> str:
    """Return the channel if it is valid. Raises Invalid otherwise."""
    if not _CHANNEL.fullmatch(text):
        raise Invalid(
            "O campo `channel` deve ter de 1 a 32 letras minúsculas, algarismos, `_`, `.` ou `-`.",
            code="channel-invalid",
        )
    return text


def _reason(text: str | UnsetType) -> str | None:
    """Return the cleaned reason, or None if it is missing or blank. Raises Invalid if it contains personal data."""
    if text is UNSET:
        return None
    reason = clean_text("reason", text, longest=REASON_LENGTH, shortest=0, one_line=False)
    return refuse_personal_data("reason", reason) or None
