"""Tests for changing and reading notification preferences (rules: registry 2.5, 4.7)."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from balcao.registry.consent.ledger.service import Verification
from balcao.settings import Settings
from tests.registry.chains import verify
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.operator_calls import Act, acting
from tests.support.refusals import refusal
from tests.support.rules import read_list, read_values

DEFAULTS = {
    "events": True,
    "services": True,
    "alerts": True,
    "mei_opportunities": False,
    "courses": False,
    "health": True,
}
TWO = {"health": False, "courses": True}


@pytest.fixture
def cpf() -> str:
    return new_cpf()


@pytest.fixture
def path(cpf: str) -> str:
    return f"/citizen/{cpf}/notification-preferences"


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer, cpf: str) -> RegistryClient:
    return RegistryClient(http, issuer.person(cpf))


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


@pytest.fixture
def entries(citizen: RegistryClient, path: str) -> Callable[[], list[dict[str, Any]]]:
    """Return a function that reads the ledger, oldest entry first."""
    return lambda: citizen.ok("GET", f"{path}/history?per_page=100")["data"][::-1]


@pytest.mark.cases("registry", "P1")
def test_without_a_choice_the_defaults_show_and_reading_stores_nothing(
    citizen: RegistryClient, path: str, cpf: str, sql: Sql
) -> None:
    first, second = citizen("GET", path), citizen("GET", path)
    assert first.status_code == 200
    assert first.json() == second.json()
    assert set(first.json()) == {"cpf", "opt_in", "category_opt_ins", "updated_at"}
    assert (first.json()["cpf"], first.json()["opt_in"], first.json()["category_opt_ins"]) == (cpf, True, DEFAULTS)
    newest = sql("SELECT max(updated_at) AS at FROM registry.notification_category")[0]["at"]
    assert first.json()["updated_at"] == newest.isoformat().replace("+00:00", "Z")
    assert sql("SELECT FROM registry.preferences WHERE cpf = $1", cpf) == []


@pytest.mark.cases("registry", "A2")
def test_another_citizens_preferences_are_forbidden_whether_they_exist_or_not(
    citizen: RegistryClient, http: httpx.Client
) -> None:
    answers = [citizen("GET", f"/citizen/{of}/notification-preferences") for of in ("90000000256", new_cpf(), "123")]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert len({answer.text for answer in answers}) == 1


@pytest.mark.parametrize(
    ("method", "suffix"), [("GET", ""), ("PUT", ""), ("PATCH", "/categories/health"), ("GET", "/history")]
)
def test_who_may_and_which_path_is_malformed(
    http: httpx.Client,
    issuer: Issuer,
    citizen: RegistryClient,
    admin: RegistryClient,
    path: str,
    method: str,
    suffix: str,
) -> None:
    body = {"channel": "web", "opt_in": True} if method != "GET" else None
    assert RegistryClient(http)(method, path + suffix, body).status_code == 401
    assert RegistryClient(http, issuer.person("90000000256"))(method, path + suffix, body).status_code == 403
    assert RegistryClient(http, issuer.machine("portal-cidadao"))(method, path + suffix, body).status_code == 403
    assert refusal(admin(method, f"/citizen/123/notification-preferences{suffix}", body)) == (400, "cpf-invalid")
    assert citizen(method, path + suffix, body).status_code == 200
    assert admin(method, path + suffix, body).status_code == 200


def test_the_same_state_is_not_sent_twice(citizen: RegistryClient, path: str) -> None:
    etag = citizen("GET", path).headers["ETag"]
    again = citizen("GET", path, If_None_Match=etag)
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("method", "suffix", "body", "shown"),
    [
        ("PUT", "", {"opt_in": False}, (False, DEFAULTS)),
        (
            "PUT",
            "",
            {"category_opt_ins": {"health": False, "courses": True}},
            (True, {"health": False, "courses": True}),
        ),
        ("PUT", "", {"opt_in": False, "category_opt_ins": {"events": False}, "reason": ""}, (False, {"events": False})),
        ("PATCH", "/categories/health", {"opt_in": False, "reason": "Linha um\nlinha dois"}, (True, {"health": False})),
        ("PATCH", "/categories/courses", {"opt_in": True}, (True, {"courses": True})),
    ],
)
def test_a_change_keeps_the_rest_and_is_answered_as_it_is_read(
    citizen: RegistryClient, path: str, method: str, suffix: str, body: dict[str, Any], shown: Any
) -> None:
    before = citizen.ok("GET", path)
    changed = citizen(method, path + suffix, {"channel": "web"} | body)
    read = citizen("GET", path)
    assert (changed.status_code, changed.content) == (200, read.content)
    assert changed.headers["ETag"] == read.headers["ETag"]
    assert (read.json()["opt_in"], read.json()["category_opt_ins"]) == (shown[0], DEFAULTS | shown[1])
    assert read.json()["updated_at"] > before["updated_at"]


@pytest.mark.parametrize(
    "body", [{}, {"opt_in": True}, {"category_opt_ins": {}}, {"category_opt_ins": {"health": True}}]
)
def test_what_changes_nothing_is_accepted_and_leaves_no_entry(
    citizen: RegistryClient, path: str, entries: Callable[[], list[dict[str, Any]]], body: dict[str, Any]
) -> None:
    before = citizen.ok("GET", path)
    assert citizen.ok("PUT", path, {"channel": "web"} | body) == before
    assert entries() == []


@pytest.mark.cases("registry", "P3")
def test_opting_out_twice_is_one_entry(
    citizen: RegistryClient, path: str, entries: Callable[[], list[dict[str, Any]]]
) -> None:
    first, second = (citizen.ok("PUT", path, {"channel": "web", "opt_in": False}) for _ in range(2))
    assert first == second
    assert [(e["action"], e["old_value"], e["new_value"]) for e in entries()] == [("opt_out", True, False)]
    assert first["category_opt_ins"] == DEFAULTS


@pytest.mark.cases("registry", "P2")
def test_the_other_settings_do_not_touch_a_category(citizen: RegistryClient, cpf: str, path: str) -> None:
    citizen.ok("PUT", path, {"channel": "web", "category_opt_ins": {"health": False}})
    citizen.ok("PUT", f"/citizen/{cpf}/firstlogin")
    citizen.ok("PUT", f"/citizen/{cpf}/optin", {"opt_in": True})
    assert citizen.ok("GET", path)["category_opt_ins"] == DEFAULTS | {"health": False}


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "registry.tested") as done:
        yield done


@pytest.fixture
def inactive(admin: RegistryClient) -> str:
    new = {"id": "inactive_one", "name": "Inativa", "description": "Ninguém a vê.", "active": False}
    assert admin("POST", "/admin/notification-categories", new).status_code in (201, 409)
    return "inactive_one"


@pytest.mark.cases("registry", "P4")
@pytest.mark.parametrize("category", ["nobody_knows", "inactive_one", "", "Health"])
def test_an_unknown_or_inactive_category_changes_nothing(
    citizen: RegistryClient,
    path: str,
    cpf: str,
    inactive: str,
    entries: Callable[[], list[dict[str, Any]]],
    sql: Sql,
    category: str,
) -> None:
    before = citizen.ok("GET", path)
    body = {"channel": "web", "opt_in": False, "category_opt_ins": {"health": False, category: True}}
    answer = citizen("PUT", path, body)
    assert (answer.status_code, answer.headers["Error-Code"]) == (422, "category-unknown")
    assert (citizen.ok("GET", path), entries()) == (before, [])
    assert sql("SELECT FROM registry.preference_choice WHERE cpf = $1", cpf) == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", {}, {"opt_in": None}, {"opt_in": True, "channel": "web"}])
@pytest.mark.parametrize("category", ["nobody_knows", "inactive_one"])
def test_one_category_is_looked_at_before_the_body(
    citizen: RegistryClient, path: str, inactive: str, category: str, body: Any
) -> None:
    assert refusal(citizen("PATCH", f"{path}/categories/{category}", body)) == (422, "category-unknown")


def break_body(member: str, value: Any) -> dict[str, Any]:
    body = {"opt_in": True, "channel": "web"} | {member: value}
    return {name: kept for name, kept in body.items() if kept is not ...}


NO_CHOICES: list[Any] = [None, [], {"health": None}, {"health": "true"}]
REFUSED = [
    *(("PUT", "", break_body(*broken)) for broken in read_values("registry", "P5")),
    *(("PUT", "", {"category_opt_ins": choices, "channel": "web"}) for choices in NO_CHOICES),
    *(("PATCH", "/categories/courses", break_body(*broken)) for broken in read_values("registry", "P5")),
    ("PATCH", "/categories/courses", {"channel": "web"}),
    *(("PUT", "", body) for body in (b"", b"{", b"[]", b"null")),
]


@pytest.mark.cases("registry", "P5")
@pytest.mark.parametrize(("method", "suffix", "body"), REFUSED, ids=range(len(REFUSED)))
def test_a_malformed_change_is_refused_and_changes_nothing(
    citizen: RegistryClient, path: str, entries: Callable[[], list[dict[str, Any]]], method: str, suffix: str, body: Any
) -> None:
    before = citizen.ok("GET", path)
    answer = citizen(method, path + suffix, body)
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
    assert (citizen.ok("GET", path), entries()) == (before, [])


@pytest.mark.parametrize(
    ("member", "value", "code", "text"),
    [
        (
            "channel",
            "Web",
            "channel-invalid",
            "O campo `channel` deve ter de 1 a 32 letras minúsculas, algarismos, `_`, `.` ou `-`.",
        ),
        ("reason", "x" * 501, "reason-length", "O campo `reason` deve ter de 0 a 500 caracteres."),
        (
            "reason",
            "é da minha mãe, 900.000.002-56",
            "reason-personal",
            "O campo `reason` não pode conter dados pessoais (CPF).",
        ),
    ],
)
def test_a_refusal_says_what_would_do(
    citizen: RegistryClient, path: str, member: str, value: str, code: str, text: str
) -> None:
    answer = citizen("PUT", path, {"channel": "web", "opt_in": False} | {member: value})
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, code)
    assert answer.json()["error"] == text


def test_a_reason_keeps_its_lines(
    citizen: RegistryClient, path: str, entries: Callable[[], list[dict[str, Any]]]
) -> None:
    citizen.ok("PUT", path, {"channel": "web", "opt_in": False, "reason": "uma linha\noutra\tcom tabulação"})
    assert entries()[0]["reason"] == "uma linha\noutra\tcom tabulação"


@pytest.mark.parametrize("channel", ["whatsapp", "w", "a_b.c-9", "x" * 32])
def test_any_channel_of_the_right_form_will_do(
    citizen: RegistryClient, path: str, entries: Callable[[], list[dict[str, Any]]], channel: str
) -> None:
    citizen.ok("PUT", path, {"channel": channel, "opt_in": False, "reason": "x" * 500})
    assert (entries()[0]["channel"], entries()[0]["reason"]) == (channel, "x" * 500)


@pytest.mark.parametrize(("method", "suffix"), [("PUT", ""), ("PATCH", "/categories/health")])
def test_a_write_that_expects_another_state_is_refused(
    citizen: RegistryClient, path: str, entries: Callable[[], list[dict[str, Any]]], method: str, suffix: str
) -> None:
    etag = citizen("GET", path).headers["ETag"]
    bodies = [{"channel": "web", "opt_in": wanted} for wanted in (False, True)]
    writes = [citizen(method, path + suffix, body, If_Match=etag) for body in bodies]
    assert [answer.status_code for answer in writes] == [200, 412]
    assert len(entries()) == 1
    assert citizen(method, path + suffix, {"channel": "web", "opt_in": True}, If_Match="*").status_code == 200


def test_an_explicit_choice_outlives_the_default_it_agreed_with(
    citizen: RegistryClient, path: str, admin: RegistryClient
) -> None:
    category = "/admin/notification-categories/mei_opportunities"
    citizen.ok("PUT", path, {"channel": "web", "category_opt_ins": {"mei_opportunities": False}})
    admin.ok("PUT", category, {"default_opt_in": True})
    try:
        assert citizen.ok("GET", path)["category_opt_ins"]["mei_opportunities"] is False
    finally:
        admin.ok("PUT", category, {"default_opt_in": False})


def test_a_change_leaves_its_event_with_who_and_why(
    citizen: RegistryClient, admin: RegistryClient, path: str, sql: Sql
) -> None:
    citizen.ok("PUT", path, {"channel": "web", "opt_in": False, "category_opt_ins": {"health": False}})
    admin.ok("PATCH", f"{path}/categories/health", {"channel": "web", "opt_in": True}, X_Access_Reason="Pedido na loja")
    events = sql(
        'SELECT operation, action, actor_kind, "grant", fields, reason FROM platform.audit_event'
        " WHERE subject IS NOT NULL AND operation IN ('registry.change_preferences',"
        " 'registry.choose_notification_category') ORDER BY at DESC LIMIT 2"
    )
    assert [tuple(event) for event in events[::-1]] == [
        ("registry.change_preferences", "update", "owner", "self", ["opt_in", "category_opt_ins"], None),
        (
            "registry.choose_notification_category",
            "update",
            "staff",
            "preferences:write",
            ["category_opt_ins"],
            "Pedido na loja",
        ),
    ]


def test_a_read_by_staff_says_which_preferences_were_shown(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    cpf = new_cpf()
    RegistryClient(http, issuer.admin()).ok(
        "GET", f"/citizen/{cpf}/notification-preferences", X_Access_Reason="Pedido na loja"
    )
    (event,) = sql(
        """SELECT fields, reason FROM platform.audit_event
           WHERE operation = 'registry.read_preferences' AND actor_kind = 'staff' ORDER BY at DESC LIMIT 1"""
    )
    assert tuple(event) == (["opt_in", "category_opt_ins"], "Pedido na loja")
    seen = RegistryClient(http, issuer.person(cpf)).ok("GET", f"/citizen/{cpf}/data-access")["data"]
    assert [(access["operation"], access["fields"]) for access in seen] == [("registry.read_preferences", event[0])]


@pytest.mark.parametrize(("table", "status"), [("platform.audit_event", 503), ("registry.preference_ledger", 500)])
def test_without_its_traces_a_change_does_not_happen(
    citizen: RegistryClient, path: str, sql: Sql, table: str, status: int
) -> None:
    before = citizen.ok("GET", path)
    sql(f"REVOKE INSERT ON {table} FROM balcao_app")
    try:
        answer = citizen("PUT", path, {"channel": "web", "opt_in": False})
    finally:
        sql(f"GRANT INSERT ON {table} TO balcao_app")
    assert answer.status_code == status
    assert citizen.ok("GET", path) == before


@pytest.fixture
def fifty(admin: RegistryClient) -> Iterator[list[str]]:
    """Yield the ids of fifty new categories."""
    ids = [f"parallel_{number}" for number in range(50)]
    for id_ in ids:
        admin.ok("POST", "/admin/notification-categories", {"id": id_, "name": id_, "description": id_})
    yield ids
    for id_ in ids:
        admin.ok("DELETE", f"/admin/notification-categories/{id_}")


@pytest.mark.cases("registry", "P6")
def test_fifty_parallel_choices_of_different_categories_all_stay(
    citizen: RegistryClient,
    cpf: str,
    path: str,
    fifty: list[str],
    entries: Callable[[], list[dict[str, Any]]],
    act: Act,
) -> None:
    with ThreadPoolExecutor(16) as threads:
        answers = threads.map(
            lambda id_: citizen("PATCH", f"{path}/categories/{id_}", {"channel": "web", "opt_in": True}), fifty
        )
        assert [answer.status_code for answer in answers] == [200] * 50
    shown = citizen.ok("GET", path)["category_opt_ins"]
    assert all(shown[id_] for id_ in fifty)
    assert sorted(entry["category"] for entry in entries()) == sorted(fifty)
    assert act(verify, cpf) == Verification(1, 50, [])


def test_parallel_choices_of_one_category_have_one_order(
    citizen: RegistryClient, cpf: str, path: str, entries: Callable[[], list[dict[str, Any]]], act: Act
) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda wanted: citizen.ok("PATCH", f"{path}/categories/health", {"channel": "web", "opt_in": wanted}),
                [False, True] * 8,
            )
        )
    values = [(entry["old_value"], entry["new_value"]) for entry in entries()]
    assert values == [(True, False), (False, True)] * (len(values) // 2) + [(True, False)] * (len(values) % 2)
    assert citizen.ok("GET", path)["category_opt_ins"]["health"] is (values[-1][1] if values else True)
    times = [entry["timestamp"] for entry in entries()]
    assert times == sorted(set(times))
    assert act(verify, cpf).findings == []


@pytest.mark.parametrize(("path_", "name"), [("channels", "channels"), ("opt-out-reasons", "opt-out reasons")])
def test_what_forms_offer_is_public_and_may_be_kept(http: httpx.Client, path_: str, name: str) -> None:
    answer = RegistryClient(http)("GET", f"/config/{path_}")
    assert answer.json() == read_list("registry", "List", name)
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert RegistryClient(http)("GET", f"/config/{path_}", If_None_Match=answer.headers["ETag"]).status_code == 304
