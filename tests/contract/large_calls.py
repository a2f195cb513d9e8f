"""The largest bodies and queries that operations and panel pages accept, designed to take as long as possible."""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from balcao.core.http.decoding import MAX_VALUES
from balcao.core.http.forms import MAX_FIELDS
from balcao.core.http.openapi import find_example
from balcao.panel.declaration import PREFIX, Page
from tests.contract.hostile_calls import Target
from tests.support.panel import PageForm

# Strings whose length takes long to check.
SLOW_TEXTS = {
    "digits": "1.",
    "addresses": "a@b_c ",
    "foreign numbers": "+9991234567 ",
    "marks": "e\u0301",
    "tags": "<b>",
    "emphasis": "*a **b _c ",
    "lines": "a b\n- ",
}
_ALL_SLOW = "".join(SLOW_TEXTS.values())
# If an operation's body limit is larger than this, each kind of slow string gets its own call.
_COMMON_LIMIT = 64 * 1024
# Common maximum lengths of members. A longer string is rejected before the slow checks.
_ACCEPTED_LENGTHS = (100, 2_000, 20_000)
# A query of this length almost fills the longest request line that the server accepts.
_LONGEST_QUERY = 60_000


class LargeCall(NamedTuple):
    """A large request. `kind` describes its large part."""

    kind: str
    method: str
    path: str
    body: bytes = b""


def list_calls(target: Target) -> Iterator[LargeCall]:
    """Yield the large calls for an operation."""
    operation = target.operation
    values = {name: quote(str(marker.example), safe="") for name, marker in operation.signature.path.items()}
    path = target.service.prefix + target.service.base + operation.path.format(**values)
    names = [name for where, name in target.parameters if where == "query"]
    if names:
        length = _LONGEST_QUERY // len(names) // len(quote(_ALL_SLOW))
        yield LargeCall("query", operation.method, f"{path}?{urlencode(dict.fromkeys(names, _ALL_SLOW * length))}")
    if target.members or operation.signature.takes_content:
        for kind, body in make_bodies(find_example(operation), operation.body_limit):
            yield LargeCall(kind, operation.method, path, body)


def make_bodies(example: Any, limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield JSON bodies of up to `limit` bytes: a long string, many values, long lists, slow strings."""
    members = example if isinstance(example, dict) else {}
    yield "an unknown text", _fit(lambda count: members | {"x": "," * count}, limit)
    yield "many values", _fit(lambda count: members | {"x": [[[[]]]] * count}, limit, MAX_VALUES // 4 - 100)
    yield "long lists", _fit(lambda count: _lengthen(example, count), limit, 1_000)
    for kind, word in (SLOW_TEXTS if limit > _COMMON_LIMIT else {"all kinds": _ALL_SLOW}).items():
        yield f"texts of {kind}", _fit(partial(_fill, example, word), limit)
        for length in _ACCEPTED_LENGTHS:
            yield f"texts of {length} {kind}", _fit(partial(_fill, example, word), limit, length // len(word))


def _fit(make: Callable[[int], Any], limit: int, most: int = sys.maxsize) -> bytes:
    """Return `make(count)`, encoded, for the largest count that fits. The size must grow linearly with the count."""
    none, one = len(_encode(make(0))), len(_encode(make(1)))
    return _encode(make(min((limit - none) // (one - none), most) if one > none else 1))


def _encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _lengthen(value: Any, count: int) -> Any:
    """Repeat the items of each list `count` times."""
    if isinstance(value, dict):
        return {name: _lengthen(each, count) for name, each in value.items()}
    return [item for _ in range(count) for item in value] if isinstance(value, list) else value


def _fill(value: Any, word: str, count: int) -> Any:
    """Replace each string with `count` copies of the word."""
    if isinstance(value, dict):
        return {name: _fill(each, word, count) for name, each in value.items()}
    if isinstance(value, list):
        return [_fill(each, word, count) for each in value]
    return word * count if isinstance(value, str) else value


def list_forms(page: Page, form: PageForm | None, secret: str) -> Iterator[LargeCall]:
    """Yield large forms for a page that accepts a form.

    `form` is the form that the page shows, or None if it shows none.
    """
    path = PREFIX + page.path.format(**dict.fromkeys(page.parameters, "999999"))
    shown = {**dict.fromkeys(form.choices, ""), **form.values, **form.checked} if form else {"texto": ""}
    kept = {name: value for name, value in shown.items() if name.startswith("_")} | {"_csrf": secret}
    names = [name for name in shown if not name.startswith("_")]
    room = (page.body_limit - 10_000) // max(len(names), 1)
    many = [("_csrf", secret), *((f"campo{number}", "x") for number in range(MAX_FIELDS - 10))]
    yield LargeCall("many fields", "POST", path, urlencode(many).encode())
    texts = {kind: word * (room // len(quote(word))) for kind, word in SLOW_TEXTS.items()}
    # A field may remove repeated lines, so these lines differ. An encoded line has at most ten characters.
    texts["different lines"] = "\n".join(map(str, range(room // 10)))
    for kind, text in texts.items():
        yield LargeCall(f"texts of {kind}", "POST", path, urlencode(kept | dict.fromkeys(names, text)).encode())
