"""Boundary tests of the rules that protect the catalogue (rules: access 4.1, 4.4, 4.5)."""

import re
import time
from pathlib import Path

import httpx
import pytest

from balcao.access.catalogue import service
from balcao.access.catalogue.authority import PROTECTED
from balcao.access.mappings.rules import check_floor
from balcao.access.roles.rules import check_grantable
from balcao.core.access import catalogue
from balcao.core.access.catalogue import Catalogue
from balcao.core.access.reach import HeldRights
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, Forbidden
from balcao.core.http import operation_endpoint
from tests.access import stored
from tests.access.callers import sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.rules import read_values

PAGE = Path(__file__).parents[2] / "docs/reference/rules/access.md"
ADMIN, SUPERADMIN = HeldRights(is_administrator=True), HeldRights(is_superadmin=True, is_administrator=True)
PUBLIC, ANY_TOKEN, READ, UPDATE = "platform:public", "platform:authenticated", "pets:read", "action:update"


def list_protected() -> set[str]:
    """Return the protected actions that the rules page lists. `action:create|update` lists two actions."""
    (sentence,) = re.findall(r"Protected actions: ([^.]*)\.", PAGE.read_text("utf-8"))
    named = [action.partition(":") for action in re.findall(r"`([^`]+)`", sentence)]
    return {f"{noun}:{verb}" for noun, _, verbs in named for verb in verbs.split("|")}


def test_the_actions_that_administrators_alone_hold_are_those_of_the_page() -> None:
    assert list_protected() == PROTECTED
    for action in PROTECTED:
        with pytest.raises(Forbidden):
            check_grantable(action)


@pytest.mark.cases("access", "32")
@pytest.mark.parametrize(("floor", "declared", "present", "wanted", "admin", "superadmin"), read_values("access", "32"))
def test_an_operation_is_bound_to_no_less_than_its_floor(
    floor: str, declared: str, present: str, wanted: str | None, admin: str | None, superadmin: str | None
) -> None:
    assert try_floor(floor, declared, present, wanted, ADMIN) == admin
    assert try_floor(floor, declared, present, wanted, SUPERADMIN) == superadmin


def try_floor(floor: str, declared: str, present: str, wanted: str | None, held: HeldRights) -> str | None:
    try:
        check_floor(floor, declared, present, wanted, held)
    except BalcaoError as refusal:
        return refusal.code
    return None


@pytest.mark.parametrize(("older", "is_usable"), [(-5.0, True), (5.0, False)])
def test_a_snapshot_is_used_for_as_long_as_the_page_says(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, older: float, *, is_usable: bool
) -> None:
    process = Catalogue(platform.database)
    assert not process.is_confirmed
    monkeypatch.setattr(process, "_confirmed_at", time.monotonic() - catalogue.USABLE_SECONDS - older)
    assert process.is_confirmed == is_usable


def test_of_a_flood_of_refused_attempts_only_the_first_of_each_caller_are_kept(
    http: httpx.Client, issuer: Issuer, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operation_endpoint, "DENIED", ("1/hour", "denied-of-this-test"))
    kept = 100  # the sandbox multiplies each rate limit by 100
    flooding, other = (sender(http, issuer.person(cpf)) for cpf in ("90000000175", "90000000256"))
    before = len(stored.read_denials(sql))
    assert {flooding("DELETE", "/roles/go:admin").status_code for _ in range(kept + 5)} == {403}
    assert len(stored.read_denials(sql)) - before == kept
    assert other("DELETE", "/roles/go:admin").status_code == 403
    assert len(stored.read_denials(sql)) - before == kept + 1


def test_so_it_is_with_what_is_refused_for_what_somebody_holds(
    http: httpx.Client, issuer: Issuer, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "DENIED", ("1/hour", "denied-of-that-test"))
    kept = 100
    flooding = sender(http, issuer.admin())
    before = len(stored.read_denials(sql))
    given = [flooding("POST", "/users/90000000175/roles", {"role_name": "admin"}) for _ in range(kept + 5)]
    assert {refusal(answer) for answer in given} == {(403, "superadmin-only")}
    assert len(stored.read_denials(sql)) - before == kept
