"""The audit history of the catalogue, over HTTP and on the command line (rules: access 2.4 and 3.4)."""

import hashlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao.access.users import service as users
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from tests.access import stored
from tests.access.callers import CITIZEN, EDITOR, SUPERADMIN, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer, bearer

Send = Callable[..., httpx.Response]
PERSON = "90000040711"


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


def test_every_change_names_what_it_was_and_what_stood_there_before_and_after(superadmin: Send, sql: Sql) -> None:
    action, role, path = stored.make_name(), stored.make_name(), f"/{stored.make_name()}"
    start = len(stored.read_chain(sql))
    action_id = superadmin("POST", "/actions", {"name": action, "description": "De teste"}).json()["id"]
    role_id = superadmin("POST", "/roles", {"name": role, "description": "Antes"}).json()["id"]
    superadmin("PUT", f"/roles/{role}", {"description": "Depois"})
    mapping = {"path_pattern": path, "method": "GET", "action_id": action_id, "description": "Boletos"}
    mapping_id = superadmin("POST", "/mappings", mapping).json()["id"]
    superadmin("DELETE", f"/mappings/{mapping_id}")
    superadmin("POST", f"/roles/{role}/actions", {"action_name": action})
    superadmin("DELETE", f"/roles/{role}/actions/{action}")
    superadmin("POST", f"/roles/{role}/actions", {"action_name": action})
    superadmin("POST", f"/users/{PERSON}/roles", {"role_name": role})
    person_id = superadmin("GET", f"/users/{PERSON}").json()["id"]
    superadmin("DELETE", f"/users/{PERSON}/roles/{role}")
    superadmin("DELETE", f"/users/{PERSON}")
    superadmin("DELETE", f"/roles/{role}")

    of_role, of_user = ("role", str(role_id), role), ("user", str(person_id), None)
    of_mapping = ("mapping", str(mapping_id), f"GET {path}")
    granted, mapped = {"action_id": action_id, "action": action}, {**mapping, "action": action}
    given, described = {"role_id": role_id, "role": role}, {"name": role, "description": "Antes"}
    gone = {"name": role, "description": "Depois", "actions": [action], "people": []}
    events = stored.read_chain(sql)[start:]
    members = ("target_type", "target_id", "target_name")
    assert [(e["operation"], tuple(e[name] for name in members), e["before"], e["after"]) for e in events] == [
        ("action.create", ("action", str(action_id), action), None, {"name": action, "description": "De teste"}),
        ("role.create", of_role, None, described),
        ("role.update", of_role, {"description": "Antes"}, {"description": "Depois"}),
        ("mapping.create", of_mapping, None, mapped),
        ("mapping.delete", of_mapping, mapped, None),
        ("role.grant", of_role, None, granted),
        ("role.revoke", of_role, granted, None),
        ("role.grant", of_role, None, granted),
        ("user.assign_role", of_user, None, given),
        ("user.remove_role", of_user, given, None),
        ("user.delete", of_user, None, None),
        ("role.delete", of_role, gone, None),
    ]
    assert [event["operation"] for event in events if event["subject"]] == [
        "user.assign_role",
        "user.remove_role",
        "user.delete",
    ]


PERSONAL = ["de 900.000.001-75", "fale com ana@pessoa.example", "ligue (21) 98765-4321"]


@pytest.mark.parametrize("text", PERSONAL)
@pytest.mark.parametrize("kind", ["actions", "roles", "groups"])
def test_personal_data_in_a_description_are_refused_and_reach_no_trail(
    superadmin: Send, sql: Sql, kind: str, text: str
) -> None:
    name = stored.make_name()
    assert superadmin("POST", f"/{kind}", {"name": name, "description": text}).status_code == 422
    assert superadmin("POST", f"/{kind}", {"name": name, "description": "De teste"}).status_code == 201
    place = sql("SELECT target_id FROM access.audit_event WHERE target_name = $1", name)[0][0]
    refused = superadmin("PUT", f"/{kind}/{place if kind == 'actions' else name}", {"description": text})
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "description"]
    assert sql("SELECT FROM access.audit_event WHERE concat(before, after, target_name) LIKE $1", f"%{text}%") == []


@pytest.mark.parametrize("name", ["x:90000000175", "grupo:900_000_001_75"])
def test_the_number_of_a_person_is_no_name(superadmin: Send, name: str) -> None:
    assert superadmin("POST", "/groups", {"name": name, "description": "De teste"}).status_code == 422


@pytest.mark.parametrize("text", PERSONAL)
def test_personal_data_in_a_description_of_before_are_left_out_of_the_trail(
    superadmin: Send, sql: Sql, text: str
) -> None:
    group = create_group(superadmin)
    sql("UPDATE access.grp SET description = $1 WHERE name = $2", text, group["name"])
    assert superadmin("PUT", f"/groups/{group['name']}", {"description": "Outra"}).status_code == 200
    event = sql("SELECT before FROM access.audit_event WHERE operation = 'group.update' ORDER BY seq DESC LIMIT 1")
    assert "(dados pessoais)" in event[0]["before"]
    assert text not in event[0]["before"]


def describe(settings: Settings, cpf: str, masked: str) -> dict[str, Any]:
    """Return the person's description in the audit trail. The hash is computed independently of the code under test."""
    secret = settings.hash_key.get_secret_value().encode()
    hashed = hashlib.blake2b(cpf.encode(), key=secret, digest_size=32).hexdigest()
    return {"cpf": masked, "hash": hashed, "key_number": settings.hash_key_number}


def test_who_did_it_and_to_whom_is_known_by_hash_and_masked_number(
    superadmin: Send, settings: Settings, sql: Sql
) -> None:
    given = superadmin("POST", f"/users/{EDITOR}/roles", {"role_name": "rmi:mobilidade"})
    event = stored.read_chain(sql)[-1]
    assert event["actor"] == {
        "sub": "person-***.000.013-**",
        "azp": CLIENT,
        "display_name": "Pessoa de Teste",
        **describe(settings, SUPERADMIN, "***.000.013-**"),
    }
    assert event["subject"] == describe(settings, EDITOR, "***.000.201-**")
    assert (event["request_id"], event["outcome"]) == (given.headers["X-Request-ID"], "done")


def test_a_machine_that_is_refused_is_named_by_its_client(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    machine = bearer(issuer.machine("painel-saude", "busca:search"))
    refused = http.delete("/access/api/v1/roles/go:admin", headers=machine)
    event = stored.read_denials(sql)[-1]
    assert event["request_id"] == refused.headers["X-Request-ID"]
    assert event["actor"] == {
        "sub": "client-painel-saude", "azp": "painel-saude", "cpf": None, "display_name": "painel-saude",
    }  # fmt: skip


async def test_a_command_is_done_by_the_operator(platform: Platform, settings: Settings) -> None:
    version = await users.assign_person_role(operator_call(platform, "access.test"), Cpf(EDITOR), "rmi:atendimento")
    async with platform.database.connection() as connection:
        statement = f"SELECT {stored.MEMBERS} FROM access.audit_event WHERE catalogue_version = $1 AND seq IS NOT NULL"
        (row,) = await connection.fetch(statement, version)
    event = stored.to_document(row)
    assert event["actor"] == {"sub": "operator", "azp": "", "cpf": None, "display_name": "operator"}
    assert event["subject"] == describe(settings, EDITOR, "***.000.201-**")


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


@pytest.mark.cases("access", "47")
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
