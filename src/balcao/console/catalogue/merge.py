"""Joining what two people made of one text: field by field, by what each of them has changed (three-way)."""

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup

from balcao.console.catalogue.differences import LABELS, mark_differences
from balcao.console.catalogue.labels import FIELDS
from balcao.core.http.forms import FormData

MINE, THEIRS, OTHER = "meu", "deles", "outro"
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

    name: str
    label: str
    text: str
    is_mine: bool


class Merge(NamedTuple):
    """`fields` are the values that stay whatever is decided of the disputes."""

    fields: dict[str, str]
    disputes: list[Dispute]
    joined: list[Joined]


def merge_fields(base: Mapping[str, str], theirs: Mapping[str, str], mine: Mapping[str, str]) -> Merge:
    """Return what becomes of each field of mine, given what both were made of."""
    fields, disputes, joined = dict(mine), [], []
    for name, own in mine.items():
        was, present = base.get(name, ""), theirs.get(name, "")
        if own == present:
            continue
        label = FIELDS.get(name, LABELS.get(name, name))
        if own == was:
            fields[name] = present
            joined.append(Joined(name, label, present, is_mine=False))
        elif present == was:
            joined.append(Joined(name, label, own, is_mine=True))
        else:
            marked = mark_differences(was, present), mark_differences(was, own)
            disputes.append(Dispute(name, label, was, present, own, *marked))
    return Merge(fields, disputes, joined)


def apply_choices(posted: FormData) -> FormData:
    """Return the form that the choices of a conflict's page make: each disputed field with the text that was chosen."""
    decided = FormData(posted)
    for field in posted:
        if not field.startswith(_CHOICE):
            continue
        name, choice = field.removeprefix(_CHOICE), posted.first(field)
        other = posted.first(f"{_OTHER_TEXT}{name}")
        # Who writes a third text means it.
        text = other if other.strip() else posted.first(f"{choice}-{name}")
        decided[name] = [text]
    return decided
