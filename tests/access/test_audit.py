"""The catalogue's history over HTTP and by command (rules: access 2.4 and 3.4, case 47)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.access import stored
from tests.access.test_roles_and_groups import CITIZEN, EDITOR, SUPERADMIN, sender
from tests.support.fixtures import Sql
from tests.support.issuer import CLIENT, Issuer

Send = Callable[..., httpx.Response]


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


def create_group(send: Send) -> dict[str, Any]:
    made: dict[str, Any] = send("POST", "/groups", {"name": stored.make_name(), "description": "De teste"}).json()
    return made


def find(send: Send, query: str) -> list[tuple[str, str]]:
    return [(item["operation"], item["outcome"]) for item in send("GET", f"/audit?{query}").json()["items"]]


def test_the_history_is_found_by_target_person_and_outcome(
    http: httpx.Client, issuer: Issuer, superadmin: Send
) -> None:
    group = create_group(superadmin)
    superadmin("POST", f"/groups/{group['name']}/members", {"subject": EDITOR})
    sender(http, issuer.person(CITIZEN))("DELETE", f"/groups/{group['name']}")
    history = superadmin("GET", f"/audit/?target_type=group&target_id={group['id']}&limit=1").json()
    assert (history["total"], history["has_more"], len(history["items"])) == (2, True, 1)
    event = history["items"][0]
    assert (event["operation"], event["subject"]["cpf"]) == ("group.add_member", "***.000.201-**")
    assert EDITOR not in str(history)
    assert find(superadmin, f"subject={EDITOR}&limit=1") == [("group.add_member", "done")]
    assert find(superadmin, f"actor={CITIZEN}") == [("group.delete", "denied")]
    assert find(superadmin, "outcome=denied&operation=group.delete") == [("group.delete", "denied")]
    version = event["catalogue_version"]
    assert find(superadmin, f"from_version={version}&to_version={version}&operation=group.add_member") != []
    assert find(superadmin, "since=2100-01-01T00:00:00Z") == []
    assert find(superadmin, f"until={event['at']}&target_id={group['id']}") == [("group.create", "done")]


@pytest.mark.parametrize(
    "query", ["since=ontem", "until=2026-01-01T00:00:00", "actor=1", "outcome=x", "from_version=x"]
)
def test_what_is_no_filter_is_a_fault(superadmin: Send, query: str) -> None:
    answer = superadmin("GET", f"/audit?{query}")
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["query", query.partition("=")[0]])


def test_the_history_is_for_who_may_read_it(http: httpx.Client, issuer: Issuer) -> None:
    refused = [issuer.person(CITIZEN), issuer.person(EDITOR), issuer.machine(CLIENT, "busca:search")]
    reader = issuer.person("90000040207", realm_access={"roles": ["acessos:leitor"]})
    for path in ("/audit", "/audit/verify"):
        assert http.get(f"/access/api/v1{path}").status_code == 401
        assert [sender(http, token)("GET", path).status_code for token in [*refused, reader]] == [403, 403, 403, 200]


def test_a_touched_event_is_found_where_it_stands(superadmin: Send, sql: Sql) -> None:
    for _ in range(3):
        create_group(superadmin)
    whole = superadmin("GET", "/audit/verify").json()
    chain = stored.read_chain(sql)
    assert whole == {
        "ok": True,
        "checked": len(chain),
        "first_seq": 1,
        "last_seq": len(chain),
        "head_hash": chain[-1]["hash"],
        "broken_at": None,
    }
    touched, target = len(chain) - 1, "UPDATE access.audit_event SET target_name = $1 WHERE seq = $2"
    sql(target, "outro", touched)
    found = superadmin("GET", "/audit/verify").json()
    assert (found["ok"], found["broken_at"]) == (False, touched)
    assert superadmin("GET", f"/audit/verify?to_seq={touched - 1}").json()["ok"] is True
    assert superadmin("GET", f"/audit/verify?from_seq={touched + 1}").json()["ok"] is True
    sql(target, chain[touched - 1]["target_name"], touched)
    assert superadmin("GET", "/audit/verify").json() == whole
