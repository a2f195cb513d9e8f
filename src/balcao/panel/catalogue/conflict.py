"""A conflict between two editors of a service. The second editor decides on each disputed field."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from balcao.core.http.forms import FormData
from balcao.panel.catalogue.content import to_values
from balcao.panel.catalogue.labels import FORM_FIELDS, name_choice
from balcao.panel.diff import compare_values
from balcao.panel.merge import merge

_CHOICE, _OTHER_TEXT = "escolha-", "texto-"


class Dispute(NamedTuple):
    """A field that both editors have changed. The marked texts show how each editor changed the base.

    `base` is the value in words. `theirs` and `mine` are the values of the field.
    """

    name: str
    label: str
    base: str
    theirs: str
    mine: str
    theirs_marked: Markup
    mine_marked: Markup


class Joined(NamedTuple):
    """A field that only one editor has changed."""

    label: str
    text: str
    is_mine: bool


class Conflict(NamedTuple):
    """The state of a conflict. `fields` are the merged values, with the visitor's own values in disputed fields."""

    fields: dict[str, str]
    disputes: list[Dispute]
    joined: list[Joined]


def describe_conflict(base: Mapping[str, str], theirs: Mapping[str, str], mine: Mapping[str, str]) -> Conflict:
    """Merge both editors' changes to `base` field by field. Return the merged values and the disputed fields."""
    merged = merge(base, theirs, mine)
    values = [to_values(each) for each in (base, theirs, mine)]
    disputes = []
    for one in merged.disputed:
        before, now, own = (_name_value(one.name, each.get(one.name)) for each in values)
        marked = compare_values(before, now), compare_values(before, own)
        disputes.append(
            Dispute(
                one.name,
                FORM_FIELDS[one.name],
                name_choice(one.name, one.base or ""),
                one.theirs or "",
                one.mine,
                *marked,
            )
        )
    disputed = {one.name for one in disputes}
    joined = [
        Joined(FORM_FIELDS[name], name_choice(name, merged.values[name]), is_mine=False) for name in merged.joined
    ]
    joined += [
        Joined(FORM_FIELDS[name], name_choice(name, text), is_mine=True)
        for name, text in mine.items()
        if name not in disputed and text not in (base.get(name, ""), theirs.get(name, ""))
    ]
    return Conflict(merged.values, disputes, joined)


def _name_value(name: str, value: Any) -> Any:
    return name_choice(name, value) if isinstance(value, str) else value


def apply_choices(posted: FormData) -> FormData:
    """Return the form data from a conflict page, with the chosen text in each disputed field."""
    decided = FormData(posted)
    for field in posted:
        if field.startswith(_CHOICE):
            name, choice = field.removeprefix(_CHOICE), posted.first(field)
            other = "\n".join(filter(str.strip, posted.getlist(f"{_OTHER_TEXT}{name}")))
            # Typed text takes precedence over the chosen version.
            decided[name] = [other if other.strip() else posted.first(f"{choice}-{name}")]
    return decided
