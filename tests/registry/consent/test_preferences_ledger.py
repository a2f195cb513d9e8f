"""The preference ledger: its entries, that it is append-only, and that changes to it are detected (3.5)."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import asyncpg
import httpx
import hypothesis
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from balcao.cli.commands import balcao
from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.operate.faults import OperatorFault
from balcao.registry import consent
from balcao.registry.consent.ledger.schemas import LedgerEntry
from balcao.registry.consent.ledger.service import Verification
from balcao.registry.consent.ledger.store import list_ledger_entries
from balcao.registry.consent.preferences import service
from balcao.registry.consent.preferences.changes import RequestedChange
from balcao.settings import Settings
from balcao_sandbox.demo.registry import preferences as demo
from tests.registry.chains import verify
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.body_shapes import INSTANT, Optional, differences
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.operator_calls import Act, acting
from tests.support.proof_sizes import size

ENTRY = {
    "id": str,
    "cpf": str,
    "timestamp": INSTANT,
    "action": str,
    "scope": str,
    "category": Optional(str),
    "channel": str,
    "reason": Optional(str),
    "old_value": bool,
    "new_value": bool,
    "actor_kind": str,
    "azp": str,
    "request_id": str,
}
PAGE = {"data": [ENTRY], "pagination": {"page": int, "per_page": int, "total": int, "total_pages": int}}


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "registry.tested") as done:
        yield done


@pytest.fixture
def found(act: Act, cpf: str) -> Callable[[], list[tuple[int, str]]]:
    """Return a function that lists the faults in the citizen's chain."""
    return lambda: [(finding.seq, finding.fault.value) for finding in act(verify, cpf).findings]


@pytest.fixture
def cpf() -> str:
    return new_cpf()


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer, cpf: str) -> RegistryClient:
    return RegistryClient(http, issuer.person(cpf))


@pytest.fixture
def path(cpf: str) -> str:
    return f"/citizen/{cpf}/notification-preferences"


@pytest.fixture
def five(citizen: RegistryClient, path: str) -> None:
    """Write five entries for the citizen. The last one is about the category health."""
    changes: list[dict[str, Any]] = [
        {"opt_in": False, "reason": "too_many_messages"},
        {"category_opt_ins": {"courses": True}},
        {"opt_in": True},
        {"category_opt_ins": {"courses": False}},
        {"category_opt_ins": {"health": False}},
    ]
    for change in changes:
        citizen.ok("PUT", path, {"channel": "whatsapp"} | change)


def test_an_entry_says_what_changed_how_by_whom_and_nothing_of_the_chain(
    citizen: RegistryClient, path: str, cpf: str, http: httpx.Client, issuer: Issuer
) -> None:
    changed = citizen("PUT", path, {"channel": "mobile", "opt_in": False, "reason": "not_from_rio"})
    RegistryClient(http, issuer.admin()).ok("PATCH", f"{path}/categories/courses", {"channel": "web", "opt_in": True})
    history = citizen("GET", f"{path}/history")
    assert differences(history.json(), PAGE) == []
    staff, own = history.json()["data"]
    assert (
        own.items()
        >= {
            "cpf": cpf,
            "action": "opt_out",
            "scope": "global",
            "category": None,
            "channel": "mobile",
            "reason": "not_from_rio",
            "old_value": True,
            "new_value": False,
            "actor_kind": "owner",
            "azp": "portal-cidadao",
            "request_id": changed.headers["X-Request-ID"],
            "timestamp": changed.json()["updated_at"],
        }.items()
    )
    assert (
        staff.items()
        >= {
            "action": "category_update",
            "scope": "category",
            "category": "courses",
            "reason": None,
            "old_value": False,
            "new_value": True,
            "actor_kind": "staff",
        }.items()
    )
    assert history.headers["Cache-Control"] == "no-store, private"


def test_the_changes_of_one_call_are_entries_of_one_moment(citizen: RegistryClient, path: str) -> None:
    body = {"channel": "web", "opt_in": False, "category_opt_ins": {"health": False, "courses": True, "events": True}}
    citizen.ok("PUT", path, body)
    entries = citizen.ok("GET", f"{path}/history")["data"]
    assert {entry["category"] for entry in entries} == {None, "health", "courses"}
    assert len({entry["timestamp"] for entry in entries}) == 1


def test_the_history_comes_page_by_page_newest_first(citizen: RegistryClient, path: str, five: None) -> None:
    whole = citizen.ok("GET", f"{path}/history")
    assert whole["pagination"] == {"page": 1, "per_page": 10, "total": 5, "total_pages": 1}
    assert [entry["category"] for entry in whole["data"]] == ["health", "courses", None, "courses", None]
    second = citizen.ok("GET", f"{path}/history?page=2&per_page=2")
    assert second == {
        "data": whole["data"][2:4],
        "pagination": {"page": 2, "per_page": 2, "total": 5, "total_pages": 3},
    }
    assert citizen.ok("GET", f"{path}/history?page=9")["data"] == []


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=0", "per_page=101", "per_page="])
def test_a_malformed_page_is_refused_naming_the_parameter(citizen: RegistryClient, path: str, query: str) -> None:
    answer = citizen("GET", f"{path}/history?{query}")
    assert answer.status_code == 400
    assert f"`{query.partition('=')[0]}`" in answer.json()["error"]


def test_a_read_of_somebody_elses_history_leaves_its_event(
    http: httpx.Client, issuer: Issuer, path: str, sql: Sql
) -> None:
    RegistryClient(http, issuer.admin()).ok("GET", f"{path}/history", X_Access_Reason="Queixa")
    events = sql(
        "SELECT action, actor_kind, reason, fields FROM platform.audit_event WHERE operation = $1",
        "registry.list_preference_history",
    )
    assert [tuple(event) for event in events] == [("read", "staff", "Queixa", ["preference_history"])]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE registry.preference_ledger SET new_value = old_value",
        "DELETE FROM registry.preference_ledger",
        "TRUNCATE registry.preference_ledger",
    ],
)
async def test_the_services_cannot_take_a_proof_back(platform: Platform, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with platform.database.transaction() as connection:
            await connection.execute(statement)


def test_a_chain_that_nobody_touched_holds(
    act: Act, cpf: str, five: None, found: Callable[[], list[tuple[int, str]]]
) -> None:
    assert found() == []
    assert act(verify, cpf) == Verification(1, 5, [])


def test_what_is_hashed_is_fixed_for_ever(sql: Sql, cpf: str, five: None) -> None:
    """The test repeats the list of hashed members.

    The list must never change, because ledgers are verified years later.
    """
    before = bytes(32)
    for row in sql("SELECT * FROM registry.preference_ledger WHERE cpf = $1 ORDER BY seq", cpf):
        moment = row["timestamp"].isoformat().replace("+00:00", "Z")
        members = [row["cpf"], row["seq"], str(row["id"]), moment, row["action"], row["scope"], row["category"]]
        members += [row["channel"], row["reason"], row["old_value"], row["new_value"], row["actor_kind"]]
        members += [row["azp"], row["request_id"]]
        text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
        assert row["prev_hash"] == before
        assert row["hash"] == (before := hashlib.sha256(before + text.encode()).digest())


OF = "FROM registry.preference_ledger WHERE cpf = $1"
TAMPERED = [
    ("UPDATE registry.preference_ledger SET channel = 'web' WHERE cpf = $1 AND seq = 2", [(2, "altered")]),
    ("UPDATE registry.preference_ledger SET reason = NULL WHERE cpf = $1 AND seq = 1", [(1, "altered")]),
    ("UPDATE registry.preference_ledger SET actor_kind = 'staff' WHERE cpf = $1 AND seq = 5", [(5, "altered")]),
    (
        "UPDATE registry.preference_ledger SET old_value = new_value, new_value = old_value WHERE cpf = $1 AND seq = 5",
        [(5, "altered"), (5, "state")],
    ),
    (
        "UPDATE registry.preference_ledger SET timestamp = timestamp - interval '1 microsecond'"
        " WHERE cpf = $1 AND seq = 3",
        [(3, "altered")],
    ),
    (
        "UPDATE registry.preference_ledger SET hash = sha256('x') WHERE cpf = $1 AND seq = 3",
        [(3, "altered"), (4, "detached")],
    ),
    ("UPDATE registry.preference_ledger SET prev_hash = sha256('x') WHERE cpf = $1 AND seq = 1", [(1, "detached")]),
    (f"DELETE {OF} AND seq = 1", [(2, "gap")]),
    (f"DELETE {OF} AND seq = 3", [(4, "gap"), (1, "state")]),
    (f"DELETE {OF} AND seq >= 4", [(2, "state")]),
    ("UPDATE registry.preferences SET opt_in = false WHERE cpf = $1", [(3, "state")]),
    ("UPDATE registry.preference_choice SET opt_in = true WHERE cpf = $1 AND category_id = 'health'", [(5, "state")]),
    ("DELETE FROM registry.preference_choice WHERE cpf = $1 AND category_id = 'health'", [(5, "state")]),
]


@pytest.mark.parametrize(("statement", "expected"), TAMPERED, ids=range(len(TAMPERED)))
def test_whatever_an_owner_of_the_tables_does_is_found(
    five: None, found: Callable[[], list[tuple[int, str]]], sql: Sql, cpf: str, statement: str, expected: list[Any]
) -> None:
    sql(statement, cpf)
    try:
        assert found() == expected
    finally:
        sql("DELETE FROM registry.preference_ledger WHERE cpf = $1", cpf)


def test_somebody_elses_broken_ledger_is_no_finding_of_this_one(
    http: httpx.Client, issuer: Issuer, five: None, found: Callable[[], list[tuple[int, str]]], sql: Sql
) -> None:
    other = new_cpf()
    RegistryClient(http, issuer.person(other)).ok(
        "PUT", f"/citizen/{other}/notification-preferences", {"channel": "web", "opt_in": False}
    )
    sql("UPDATE registry.preferences SET opt_in = true WHERE cpf = $1", other)
    try:
        assert found() == []
    finally:
        sql("DELETE FROM registry.preference_ledger WHERE cpf = $1", other)


OPT_INS: dict[str | None, bool] = {
    None: True,  # None stands for the global flag
    "events": True,
    "services": True,
    "alerts": True,
    "mei_opportunities": False,
    "courses": False,
    "health": True,
}
CHOICES = st.dictionaries(st.sampled_from(sorted(filter(None, OPT_INS))), st.booleans())
WISHES = st.lists(st.builds(RequestedChange, st.just("web"), st.none() | st.booleans(), CHOICES), max_size=6)


@given(WISHES)
@hypothesis.settings(max_examples=size(20, 1000), deadline=None)
def test_whatever_is_wished_the_ledger_tells_how_the_state_came_to_be(act: Act, wishes: list[RequestedChange]) -> None:
    cpf = Cpf(new_cpf())
    for wish in wishes:
        act(service.apply_change, cpf, wish)
    held = act(service.read_preferences, cpf)
    wished = dict(OPT_INS)
    for wish in wishes:
        wished.update(wish.choices.items())
        if wish.opt_in is not None:
            wished[None] = wish.opt_in
    told = dict(OPT_INS)
    for entry in act(history, cpf):
        assert (told[entry.category], entry.new_value) == (entry.old_value, not entry.old_value)
        told[entry.category] = entry.new_value
    state: dict[str | None, bool] = {None: held.opt_in}
    state.update(held.category_opt_ins.items())
    assert state == wished == told
    assert act(verify, cpf.digits).findings == []


async def history(call: Call, cpf: Cpf) -> list[LedgerEntry]:
    """Return the citizen's ledger entries, oldest first."""
    async with call.platform.database.connection() as connection:
        return (await list_ledger_entries(connection, cpf))[::-1]


@pytest.fixture
def operator(database_url: str) -> Callable[..., Result]:
    """Return a function that runs `balcao registry verify-ledger` within this process."""
    environment = {"BALCAO_DATABASE_URL": database_url}
    return lambda *words: CliRunner().invoke(balcao, ["registry", "verify-ledger", *words], env=environment)


def test_the_operators_command_tells_which_entry_is_no_longer_what_it_was(
    operator: Callable[..., Result], five: None, cpf: str, sql: Sql
) -> None:
    whole = operator("--cpf", cpf, "--json")
    assert (whole.exit_code, json.loads(whole.stdout)) == (0, {"chains": 1, "entries": 5, "findings": []})
    assert "íntegras" in operator("--cpf", cpf).stdout
    sql("UPDATE registry.preference_ledger SET azp = 'outro' WHERE cpf = $1 AND seq = 2", cpf)
    try:
        done, told = operator("--json"), operator("--cpf", cpf)
    finally:
        sql("DELETE FROM registry.preference_ledger WHERE cpf = $1", cpf)
    (finding,) = json.loads(done.stdout)["findings"]
    assert (done.exit_code, finding["cpf"], cpf in done.stdout) == (1, Cpf(cpf).masked, False)
    assert (finding["seq"], finding["fault"]) == (2, "altered")
    assert (told.exit_code, "foi alterada" in told.stdout, cpf in told.stdout) == (1, True, False)


def test_a_cpf_that_is_none_is_told_to_the_operator(operator: Callable[..., Result]) -> None:
    assert isinstance(operator("--cpf", "123").exception, OperatorFault)


def test_the_export_has_the_preferences_and_their_whole_history(
    act: Act, cpf: str, citizen: RegistryClient, path: str, five: None
) -> None:
    declared = DeclaredPersonalData(one.personal_data for one in consent.FEATURES if one.personal_data is not None)

    async def exported(call: Call) -> Any:
        async with call.platform.database.connection() as connection:
            return json.loads(msgspec.json.encode(await declared.export(connection, Cpf(cpf))))

    assert act(exported) == {
        "preferencias": citizen.ok("GET", path),
        "historico_preferencias": citizen.ok("GET", f"{path}/history")["data"],
    }
    assert all(one.erase is None for one in declared.declarations)


def test_elisa_has_her_six_entries_however_often_the_demo_data_are_loaded(
    act: Act, http: httpx.Client, issuer: Issuer
) -> None:
    async def load(call: Call) -> None:
        await demo.load_demo_preferences(call.platform)

    act(load)
    act(load)
    elisa = RegistryClient(http, issuer.person(demo.ELISA.digits))
    path = f"/citizen/{demo.ELISA.digits}/notification-preferences"
    held = elisa.ok("GET", path)
    assert (held["opt_in"], held["category_opt_ins"]["health"]) == (False, False)
    assert elisa.ok("GET", f"{path}/history")["pagination"]["total"] == 6
