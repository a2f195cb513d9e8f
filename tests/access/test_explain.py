"""Explanations of access decisions, over HTTP (rules: access 2.4)."""

from typing import Any

import httpx
import pytest

from tests.access import stored
from tests.access.callers import BASE, CITIZEN, EDITOR, SUPERADMIN, Send, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer
from tests.support.refusals import refusal

PETS = f"/registry/v1/citizen/{CITIZEN}/pets"
COMPANIES = f"/registry/v1/citizen/{CITIZEN}/legal-entities"


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


def explain(send: Send, method: str, path: str, **others: str) -> Any:
    query = httpx.QueryParams({"method": method, "path": path, **others})
    answer = send("GET", f"/explain?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def summarise(explained: Any) -> tuple[str, str, int]:
    return explained["decision"], explained["reason"], len(explained["via"])


def make_invoices(send: Send) -> dict[str, str]:
    """Create an action, a role that grants it, two groups that have the role, and a custom mapping."""
    action, role, path = stored.make_name(), stored.make_name(), f"/{stored.make_name()}"
    made = send("POST", "/actions", {"name": action, "description": "De teste"}).json()
    send("POST", "/roles", {"name": role, "description": "De teste"})
    send("POST", f"/roles/{role}/actions", {"action_name": action})
    groups = sorted(stored.make_name() for _ in range(2))
    for group in groups:
        send("POST", "/groups", {"name": group, "description": "De teste"})
        send("POST", f"/roles/groups/{group}/roles", {"role_name": role})
        send("POST", f"/groups/{group}/members", {"subject": EDITOR})
    mapping = {"path_pattern": f"{path}/{{id}}", "method": "GET", "action_id": made["id"]}
    assert send("POST", "/mappings", mapping).status_code == 201
    return {"action": action, "id": made["id"], "role": role, "path": path, "groups": groups[0], "other": groups[1]}


@pytest.mark.cases("access", "46")
def test_both_groups_that_give_the_role_are_named(superadmin: Send) -> None:
    made = make_invoices(superadmin)
    explained = explain(superadmin, "get", f"{made['path']}/7", subject=EDITOR)
    assert summarise(explained) == ("allow", "granted", 2)
    assert explained["via"] == [
        {"role": made["role"], "source": "group", "group": made[group], "reach": {}} for group in ("groups", "other")
    ]
    assert explained["matched"] == {"id": "7"}
    assert explained["action"] == {"id": made["id"], "name": made["action"], "description": "De teste"}
    assert explained["mapping"]["path_pattern"] == f"{made['path']}/{{id}}"
    assert summarise(explain(superadmin, "HEAD", f"{made['path']}/7", subject=EDITOR)) == ("allow", "granted", 2)
    assert summarise(explain(superadmin, "POST", f"{made['path']}/7", subject=EDITOR)) == ("deny", "no_mapping", 0)


@pytest.mark.cases("access", "13")
def test_a_rename_shows_at_once(superadmin: Send) -> None:
    made = make_invoices(superadmin)
    renamed = superadmin("PUT", f"/actions/{made['id']}", {"name": stored.make_name()})
    explained = explain(superadmin, "GET", f"{made['path']}/7", subject=EDITOR)
    assert explained["action"]["name"] == renamed.json()["name"]
    assert explained["catalogue_version"] == int(renamed.headers["X-Catalogue-Version"])
    assert summarise(explained) == ("allow", "granted", 2)


@pytest.mark.parametrize(
    ("method", "path", "others", "expected"),
    [
        ("GET", PETS, {"subject": CITIZEN}, ("allow", "owner", 0)),
        ("GET", PETS, {"subject": EDITOR}, ("deny", "not_granted", 0)),
        ("GET", PETS, {"subject": EDITOR, "roles": "rmi:atendimento, rmi:admin,x"}, ("allow", "granted", 2)),
        ("GET", "/registry/v1/citizen/gender/options", {"subject": EDITOR}, ("allow", "public", 0)),
        ("GET", "/access/api/v1/users/me/", {"subject": EDITOR}, ("allow", "authenticated", 0)),
        ("POST", "/search/api/v1/services/search", {"subject": EDITOR}, ("deny", "no_mapping", 0)),
        ("GET", f"{COMPANIES}?page=1", {"client": CLIENT, "scopes": "smf:read"}, ("allow", "scope", 0)),
        ("GET", COMPANIES, {"client": CLIENT}, ("deny", "not_granted", 0)),
        ("GET", f"/registry/v1/citizen/{CITIZEN}", {"client": "balcao-platform"}, ("allow", "client", 0)),
        ("GET", "/access/api/v1/actions%2F1", {}, ("deny", "no_mapping", 0)),
        ("GET", "/access//api/v1/actions/1", {}, ("deny", "no_mapping", 0)),
        ("GET", "/access/x/../api/v1/actions/1", {}, ("deny", "no_mapping", 0)),
        ("DELETE", "/access/api/v1/actions/1", {}, ("allow", "granted", 1)),
    ],
)
def test_each_reason_is_told_in_its_word(
    superadmin: Send, method: str, path: str, others: dict[str, str], expected: tuple[str, str, int]
) -> None:
    assert summarise(explain(superadmin, method, path, **others)) == expected


def test_an_action_is_explained_without_an_address(superadmin: Send) -> None:
    made = make_invoices(superadmin)

    def ask(key: str, **others: str) -> Any:
        return superadmin("GET", f"/explain?{httpx.QueryParams({'action': key, **others})}")

    explained = ask(f"#{made['id']}", subject=EDITOR).json()
    assert summarise(explained) == ("allow", "granted", 2)
    assert (explained["mapping"], explained["action"]["name"], explained["reach"]) == (None, made["action"], {})
    assert summarise(ask("pets:read", subject=EDITOR).json()) == ("deny", "not_granted", 0)
    assert [refusal(ask(key)) for key in ("no:action", "platform:public")] == [(404, "action-not-found")] * 2


def test_everybody_may_ask_about_themselves_and_only_the_action_lets_ask_more(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    citizen = sender(http, issuer.person(CITIZEN))
    assert summarise(explain(citizen, "GET", PETS)) == ("allow", "owner", 0)
    assert summarise(explain(citizen, "GET", PETS, subject=CITIZEN)) == ("allow", "owner", 0)
    machine = sender(http, issuer.machine(CLIENT, "smf:read"))
    assert summarise(explain(machine, "GET", COMPANIES)) == ("allow", "scope", 0)
    for more in (f"subject={EDITOR}", "roles=admin", "scopes=a", "client=b"):
        assert citizen("GET", f"/explain?method=GET&path={PETS}&{more}").status_code == 403
    reader = sender(http, issuer.person(EDITOR, realm_access={"roles": ["acessos:leitor"]}))
    assert summarise(explain(reader, "GET", PETS, subject=CITIZEN)) == ("allow", "owner", 0)
    read = "SELECT subject ->> 'cpf' AS cpf FROM access.audit_event WHERE operation = 'decision.explain' ORDER BY id"
    assert sql(read)[-1]["cpf"] == "***.000.001-**"


def test_without_a_token_nothing_is_explained(http: httpx.Client) -> None:
    assert http.get(f"{BASE}/explain?method=GET&path=/").status_code == 401


@pytest.mark.parametrize(
    "query",
    [
        "",
        "path=/a",
        "method=GET",
        "method=GO&path=/a",
        "method=GET&path=/a&subject=1",
        "method=GET&path=/a&action=pets:read",
        "method=GET&action=pets:read",
    ],
)
def test_what_is_no_question_is_a_fault(superadmin: Send, query: str) -> None:
    assert superadmin("GET", f"/explain?{query}").status_code == 422
