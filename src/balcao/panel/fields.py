"""Form fields that several areas use, and the handling of buttons that change the rows of a list in a form."""

from collections.abc import Callable, Sequence
from typing import Any

import wtforms
from wtforms import Field, FieldList

from balcao.web.words import parse_number

# The field that row buttons post: an action, the name of the list, and the row's index or the kind of the new row.
ACT = "_acao"
# Reject more values than this. Each value becomes a selection element with every option, so the page grows with the
# product. The services accept at most 20.
MOST_SELECTIONS = 50
_ADD, _REMOVE, _RAISE = "mais", "tirar", "subir"


class SelectionsField(Field):
    """A field for several values from a long list, with one selection element for each value.

    The initial data is a string with one value on each line. A value that is missing from the list remains selectable
    in its own selection element.
    """

    values: Sequence[str] = ()

    def process_data(self, value: str | None) -> None:
        self.data = split_lines(value or "")

    def process_formdata(self, valuelist: list[Any]) -> None:
        given = list(dict.fromkeys(line for text in valuelist for line in split_lines(text)))
        self.data = given[:MOST_SELECTIONS]
        if len(given) > MOST_SELECTIONS:
            raise ValueError(f"Escolha no máximo {MOST_SELECTIONS}.")

    def offer(self, values: Sequence[str]) -> None:
        """Set the values that people can choose."""
        self.values = values


def split_lines(text: str) -> list[str]:
    """Return the lines without surrounding whitespace. Drop blank lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def change_rows(form: wtforms.Form, pressed: str, make_row: Callable[[str], Any] = lambda _: None) -> bool:
    """Apply an add, remove or move-up button from a row list. Return whether such a button was pressed.

    `make_row` returns the initial values for a new row of the given kind.
    """
    action, _, rest = pressed.partition(":")
    name, _, which = rest.partition(":")
    rows = form._fields.get(name)
    if action not in {_ADD, _REMOVE, _RAISE} or not isinstance(rows, FieldList):
        return False
    place = parse_number(which)
    if action == _ADD and len(rows) < (rows.max_entries or 0):
        rows.append_entry(make_row(which))
    elif action == _REMOVE and place is not None and place < len(rows):
        rows.entries.pop(place)
    elif action == _RAISE and place is not None and 0 < place < len(rows):
        _swap(rows.entries[place - 1].form, rows.entries[place].form)
    return True


def _swap(first: wtforms.Form, second: wtforms.Form) -> None:
    """Swap the contents of two rows, including typed strings that are not valid numbers."""
    for one, other in zip(first, second, strict=True):
        one.data, other.data = other.data, one.data
        one.raw_data, other.raw_data = other.raw_data, one.raw_data
