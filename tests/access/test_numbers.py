"""The rules and the code state the same numbers (rules: access 5.5)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import annotated_types
import pytest
from pydantic import TypeAdapter, ValidationError

from balcao.access import conventions, routes
from balcao.access.actions import api as actions
from balcao.access.catalogue import feature as catalogue_feature
from balcao.access.catalogue.service import READS
from balcao.access.decisions import api as decisions
from balcao.access.decisions import service as explaining
from balcao.access.documents import api as documents
from balcao.access.documents import openapi, schemas, yaml_subset
from balcao.access.documents import service as planning
from balcao.access.groups import api as groups_api
from balcao.access.groups import schemas as groups
from balcao.access.mappings import api as mappings
from balcao.access.mappings import patterns
from balcao.access.roles import api as roles
from balcao.access.users import api as users
from balcao.access.users.api import UNUSED_PERIOD
from balcao.core.access import catalogue
from balcao.core.access.limits import DENIED
from balcao.core.database import reloader
from balcao.core.http.decoding import MAX_DEPTH
from balcao.core.http.operations import MIB, UNLIMITED, Operation
from tests.support.rules import read_numbers

DAY, HOUR, MINUTE = (timedelta(**{unit: 1}) for unit in ("days", "hours", "minutes"))
ALL = (actions, decisions, documents, groups_api, mappings, roles, users)


def list_operations() -> Iterator[Operation]:
    for module in ALL:
        yield from module.routes.declared


def find(key: str) -> Operation:
    return next(operation for operation in list_operations() if operation.key == f"access.{key}")


def rate_of(key: str) -> int:
    number, _, unit = str(find(key).rate).partition("/")
    assert unit == "minute"
    return int(number)


def lengths_of(annotated: Any, letter: str) -> list[int]:
    """Return the shortest and the longest string length that a type accepts, by trying each length."""
    adapter = TypeAdapter(annotated)

    def takes(length: int) -> bool:
        try:
            adapter.validate_python((f"{letter}:" + letter * length)[:length] if ":" in letter else letter * length)
        except ValidationError:
            return False
        return True

    taken = [length for length in range(600) if takes(length)]
    assert taken == list(range(taken[0], taken[-1] + 1))
    return [taken[0], taken[-1]]


def bounds_of(model: type, name: str) -> list[float]:
    field = model.model_fields[name]  # type: ignore[attr-defined]
    least = next(each.ge for each in field.metadata if isinstance(each, annotated_types.Ge))
    most = next(each.le for each in field.metadata if isinstance(each, annotated_types.Le))
    return [least, most, field.default]


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        (r"413 \(over (\d+) KiB; catalogue documents (\d+) MiB\)", [routes.MAX_BODY_BYTES / 1024, 1]),
        (r"`limit` (\d+)\.\.(\d+), default (\d+); out of range", bounds_of(conventions.SliceQuery, "limit")),
        (r"Names of roles and groups: (\d+)\.\.(\d+),", lengths_of(conventions.Name, "a")),
        (r"Descriptions: (\d+)\.\.(\d+) after trimming", lengths_of(conventions.Description, "a")),
        (r"or that more than ([0-9,]+) changes followed", [explaining.MOST_CHANGES]),
        (
            r"object, at most (\d+) keys `\^\[a-z_\]\{1,40\}\$`, each an array of at most (\d+) texts of (\d+)",
            [groups.MAX_KEYS, groups.MAX_TEXTS, groups.MAX_LETTERS],
        ),
        (r"outside the chain with `seq` null, at most (\d+) a minute per caller", [int(DENIED[0].partition("/")[0])]),
        (r"at most (\d+) segments, (\d+) characters; no query", [patterns.MAX_SEGMENTS, patterns.MAX_LETTERS]),
        (r"retired after (\d+) h, by the nightly retention", [mappings.UNSERVED / HOUR]),
        (r"or poll \(every (\d+) s\) finds one", [catalogue.POLL_SECONDS]),
        (
            r"reconnect with back-off ([0-9.]+) s to (\d+) s",
            [reloader.FIRST_PAUSE_SECONDS, reloader.LONGEST_PAUSE_SECONDS],
        ),
        (r"\| (\d+) s since the last confirmed version", [catalogue.USABLE_SECONDS]),
        (r"tags or repeated keys, depth (\d+)\.", [yaml_subset.MAX_DEPTH]),
        (r"`complete: \[path\]`, at most (\d+) ", [schemas.MAX_PREFIXES]),
        (r"A plan changes at most ([0-9,]+) things", [planning.MOST_CHANGES]),
        (r"for more than ([0-9,]+) changes \(4\.7\)", [planning.MOST_CHANGES]),
        (r"404 unknown or older than (\d+) min;", [planning.PLAN_AGE / MINUTE]),
        (r"with up to (\d+) levels; JSON has up to (\d+) levels", [openapi.MAX_DEPTH, MAX_DEPTH]),
        (
            r"if a group with more than ([0-9,]+) members is deleted, .* removed first, ([0-9,]+) at "
            r"a time, each with its event `group",
            [conventions.MOST_AT_ONCE, conventions.MOST_AT_ONCE],
        ),
        (
            r"a role that more than ([0-9,]+) people have directly \(`user.remove_role`\) and to an "
            r"action that more than "
            r"([0-9,]+) roles grant or more than ([0-9,]+) mappings name",
            [conventions.MOST_AT_ONCE] * 3,
        ),
        (
            r"If there are more than ([0-9,]+) grants or mappings, those beyond [0-9,]+ are removed "
            r"first, ([0-9,]+) at a time",
            [conventions.MOST_AT_ONCE] * 2,
        ),
        (
            r"chain (\d+) years .* denials and reads (\d+) year, people without group and role (\d+) "
            r"years after they were "
            r"last seen, plans (\d+) min, change records \(4\.5\) (\d+) day, retired mappings (\d+) days",
            [
                catalogue_feature.CHAIN // (365 * DAY),
                catalogue_feature.DENIALS_AND_READS // (365 * DAY),
                UNUSED_PERIOD // (365 * DAY),
                planning.PLAN_AGE / MINUTE,
                catalogue_feature.CHANGES / DAY,
                mappings.RETIRED / DAY,
            ],
        ),
        (
            r"writes (\d+), plan and apply (\d+) each, `users/me` (\d+), `users/me/actions` (\d+), `explain` (\d+)\.",
            [
                int(conventions.WRITES.partition("/")[0]),
                rate_of("apply_catalogue"),
                rate_of("read_own_user"),
                rate_of("list_own_actions"),
                rate_of("explain_decision"),
            ],
        ),
    ],
)
def test_a_number_of_the_page_is_that_of_the_product(sentence: str, numbers: list[float]) -> None:
    assert read_numbers("access", sentence) == numbers


def test_years_have_their_leap_days() -> None:
    assert [catalogue_feature.CHAIN / DAY, UNUSED_PERIOD / DAY, catalogue_feature.DENIALS_AND_READS / DAY] == [
        3653,
        731,
        365,
    ]
    assert HOUR.total_seconds() == catalogue.ANNOUNCING_SECONDS
    assert READS[0] == DENIED[0]


def test_every_write_has_the_rate_of_writes_and_every_plan_that_of_plans() -> None:
    found: dict[str, set[str]] = {}
    for operation in list_operations():
        if operation.method != "GET" and not operation.key.startswith("access.check"):
            found.setdefault(str(operation.rate), set()).add(operation.key)
    assert set(found) == {conventions.WRITES, conventions.PLANS}
    assert found[conventions.PLANS] == {
        f"access.{key}" for key in ("plan_catalogue", "plan_openapi", "apply_catalogue")
    }
    assert find("check_headers_get").rate is UNLIMITED
    assert {operation.body_limit for operation in documents.routes.declared} == {MIB}


@pytest.mark.parametrize(("length", "is_taken"), [(2, False), (3, True), (100, True), (101, False)])
def test_names_of_actions_have_three_to_a_hundred_characters(length: int, is_taken: bool) -> None:
    name = ("a:" + "b" * 101)[:length]
    try:
        TypeAdapter(conventions.ActionName).validate_python(name)
    except ValidationError:
        assert not is_taken
    else:
        assert is_taken
