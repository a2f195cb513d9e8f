"""What two people made of one text, for a page on which the second one decides field by field."""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from balcao.core.http.forms import FormData
from balcao.panel.catalogue.content import to_values
from balcao.panel.catalogue.labels import FIELDS
from balcao.panel.diff import compare_values
from balcao.panel.merge import merge

_CHOICE, _OTHER_TEXT = "escolha-", "texto-"


class Dispute(NamedTuple):
    """A field that both have changed; the marks show what each did to the base."""

    name: str
    label: str
    base: str
    theirs: str
    mine: str
    theirs_marked: Markup
    mine_marked: Markup


class Joined(NamedTuple):
    """A field that one of them has changed."""

    label: str
    text: str
    is_mine: bool


class Conflict(NamedTuple):
    """`fields` are the values that stay whatever is decided of the disputes."""

    fields: dict[str, str]
    disputes: list[Dispute]
    joined: list[Joined]


def describe_conflict(base: Mapping[str, str], theirs: Mapping[str, str], mine: Mapping[str, str]) -> Conflict:
    """Return what becomes of each field of mine, given what both were made of."""
    merged = merge(base, theirs, mine)
    values = [to_values(each) for each in (base, theirs, mine)]
    disputes = []
    for one in merged.disputed:
        before, now, own = (each.get(one.name) for each in values)
        marked = compare_values(before, now), compare_values(before, own)
        disputes.append(Dispute(one.name, FIELDS[one.name], one.base or "", one.theirs or "", one.mine, *marked))
    disputed = {one.name for one in disputes}
    joined = [Joined(FIELDS[name], merged.values[name], is_mine=False) for name in merged.joined]
    joined += [
        Joined(FIELDS[name], text, is_mine=True)
        for name, text in mine.items()
        if name not in disputed and text not in (base.get(name, ""), theirs.get(name, ""))
    ]
    return Conflict(merged.values, disputes, joined)


def apply_choices(posted: FormData) -> FormData:
    """Return the form that the choices of a conflict's page make: each disputed field with the text that was chosen."""
    decided = FormData(posted)
    for field in posted:
        if field.startswith(_CHOICE):
            name, choice = field.removeprefix(_CHOICE), posted.first(field)
            other = "\n".join(filter(str.strip, posted.getlist(f"{_OTHER_TEXT}{name}")))
            # Who writes a third text means it.
            decided[name] = [other if other.strip() else posted.first(f"{choice}-{name}")]
    return decided
