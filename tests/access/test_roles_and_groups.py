"""Roles, groups, members and people over HTTP (rules: access 2.3 and 4.4)."""

from typing import Any

import asyncpg
import httpx
import pytest

from balcao.access.groups import service as groups
from balcao.core.database.pool import Connection
from tests.access import stored
from tests.access.callers import ALONE, BASE, CITIZEN, EDITOR, NEWCOMER, SUPERADMIN, Send, make_name, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer, bearer
from tests.support.refusals import refusal
from tests.support.rules import read_values


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.admin())


@pytest.fixture
def group(superadmin: Send) -> str:
    name = make_name()
    assert superadmin("POST", "/groups", {"name": name, "description": "De teste"}).status_code == 201
    return name


@pytest.fixture
def role(superadmin: Send) -> str:
    name = make_name()
    assert superadmin("POST", "/roles/", {"name": name, "description": "De teste"}).status_code == 201
    return name


def last_event(sql: Sql) -> tuple[str, str, int]:
    event = stored.read_chain(sql)[-1]
    return event["operation"], event["target_name"], event["catalogue_version"]


OPERATIONS = [
    ("GET", "/users", None),
    ("GET", f"/users/{EDITOR}", None),
    ("GET", "/roles", None),
    ("POST", "/roles", {"name": "teste:nunca", "description": "Nunca"}),
    ("DELETE", "/roles/teste:nunca", None),
    ("GET", "/roles/admin/actions", None),
    ("POST", "/roles/go:cursos:editor/actions", {"action_name": "vehicles:read"}),
    ("DELETE", "/roles/go:cursos:editor/actions/vehicles:read", None),
    ("GET", "/roles/groups/administradores/roles", None),
    ("POST", "/roles/groups/administradores/roles", {"role_name": "rmi:admin"}),
    ("DELETE", "/roles/groups/administradores/roles/rmi:admin", None),
    ("GET", "/groups", None),
    ("POST", "/groups", {"name": "teste:nunca", "description": "Nunca"}),
    ("PUT", "/groups/administradores", {"description": "Outra"}),
    ("DELETE", "/groups/teste:nunca", None),
    ("GET", "/groups/administradores/members", None),
    ("POST", "/groups/teste:nunca/members", {"subject": EDITOR}),
    ("DELETE", f"/groups/teste:nunca/members/{EDITOR}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), OPERATIONS)
def test_each_operation_is_the_administrators_alone(
    http: httpx.Client, issuer: Issuer, sql: Sql, method: str, path: str, body: Any
) -> None:
    refused = [
        issuer.person(CITIZEN),
        issuer.person(NEWCOMER, realm_access={"roles": ["busca:services:editor", "go:admin"]}),
        issuer.machine(CLIENT, "busca:search"),
    ]
    before = stored.read_version(sql)
    assert http.request(method, BASE + path, json=body).status_code == 401
    answers = [http.request(method, BASE + path, json=body, headers=bearer(token)) for token in refused]
    assert [(answer.status_code, set(answer.json())) for answer in answers] == [(403, {"detail"})] * 3
    assert stored.read_version(sql) == before
    allowed = http.request(method, BASE + path, json=body, headers=bearer(issuer.admin()))
    assert allowed.status_code not in {401, 405, 422, 500}


def test_whoever_reads_the_catalogue_reads_roles_groups_and_people_and_changes_nothing(
    http: httpx.Client, issuer: Issuer
) -> None:
    reader = sender(http, issuer.person("90000040207", realm_access={"roles": ["acessos:leitor"]}))
    answers = {(method, path): reader(method, path, body).status_code for method, path, body in OPERATIONS}
    allowed = {path for method, path, _ in OPERATIONS if method == "GET"} - {"/groups/administradores/members"}
    assert {key for key, status in answers.items() if status != 403} == {("GET", path) for path in allowed}


@pytest.mark.cases("access", "41")
def test_a_person_sees_their_own_roles_of_token_and_groups(
    http: httpx.Client, issuer: Issuer, superadmin: Send, group: str
) -> None:
    superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": "busca:services:editor"})
    superadmin("POST", f"/groups/{group}/members", {"subject": EDITOR})
    token = issuer.person(EDITOR, name="Estela Ramos", realm_access={"roles": ["admin", "offline_access"]})
    mine = sender(http, token)("GET", "/users/me/").json()
    assert mine == {
        "id": mine["id"],
        "cpf": EDITOR,
        "display_name": "Estela Ramos",
        "groups": [group],
        "roles": ["admin", "busca:services:editor"],
    }
    assert (
        sender(http, issuer.person(EDITOR, name="Outro Nome"))("GET", "/users/me").json()["display_name"]
        == "Outro Nome"
    )
    own = sender(http, issuer.person(EDITOR))("GET", f"/users/{EDITOR}").json()
    assert (own["id"], own["roles"]) == (mine["id"], ["busca:services:editor"])


@pytest.mark.cases("access", "42")
def test_a_token_without_a_person_is_nobody(http: httpx.Client, issuer: Issuer, superadmin: Send) -> None:
    before = superadmin("GET", "/users").json()["total"]
    machine = issuer.machine(CLIENT, "busca:search")
    for token in (machine, issuer.login()):
        assert refusal(http.get(f"{BASE}/users/me", headers=bearer(token))) == (403, "user-without-cpf")
    assert superadmin("GET", "/users").json()["total"] == before


def test_people_come_page_by_page_each_once(http: httpx.Client, issuer: Issuer, superadmin: Send, group: str) -> None:
    for cpf in (ALONE, EDITOR):
        assert sender(http, issuer.person(cpf))("GET", "/users/me").status_code == 200
    superadmin("POST", f"/groups/{group}/members", {"subject": EDITOR})
    whole = superadmin("GET", "/users?limit=100").json()
    pages = [superadmin("GET", f"/users/?skip={skip}&limit=1").json() for skip in range(whole["total"])]
    assert [page["items"][0] for page in pages] == whole["items"]
    assert [page["has_more"] for page in pages] == [True] * (whole["total"] - 1) + [False]
    assert [(page["skip"], page["limit"], page["total"]) for page in pages] == [
        (skip, 1, whole["total"]) for skip in range(whole["total"])
    ]
    assert ALONE in {user["cpf"] for user in whole["items"]}
    grouped = superadmin("GET", "/users?has_groups=true&limit=100").json()
    members = [user for user in whole["items"] if user["groups"]]
    assert EDITOR in {user["cpf"] for user in members}
    assert (grouped["items"], grouped["total"], grouped["has_more"]) == (members, len(members), False)
    assert superadmin("GET", "/users?has_groups=false&limit=100").json() == whole
    assert superadmin("GET", "/users?skip=1000000").json()["items"] == []


@pytest.mark.cases("access", "21")
@pytest.mark.parametrize(
    ("query", "name", "kind"), [*read_values("access", "21"), ("skip=" + "9" * 400, "skip", "less_than_equal")]
)
def test_a_page_out_of_range_is_a_fault_of_the_query(superadmin: Send, query: str, name: str, kind: str) -> None:
    for path in ("/users", "/roles", "/groups/administradores/members"):
        answer = superadmin("GET", f"{path}?{query}")
        items = [(item["loc"], item["type"]) for item in answer.json()["detail"]]
        assert (answer.status_code, items) == (422, [(["query", name], kind)])


def test_a_flag_is_true_or_false(superadmin: Send) -> None:
    answer = superadmin("GET", "/users?has_groups=maybe&skip=x")
    assert answer.status_code == 422
    assert {(item["loc"][1], item["type"]) for item in answer.json()["detail"]} == {
        ("has_groups", "enum"),
        ("skip", "int_parsing"),
    }


def test_reading_people_leaves_a_trace_beside_the_chain(superadmin: Send, group: str, sql: Sql) -> None:
    before = len(stored.read_denials(sql))
    superadmin("GET", "/users")
    superadmin("GET", f"/groups/{group}/members")
    superadmin("GET", f"/users/{CITIZEN}")
    events = stored.read_denials(sql)[before:]
    assert [(e["operation"], e["outcome"], e["seq"]) for e in events] == [
        ("user.list", "done", None),
        ("group.read_members", "done", None),
        ("user.read", "done", None),
    ]
    assert events[2]["subject"]["cpf"] == "***.000.001-**"


@pytest.mark.cases("access", "38")
def test_a_role_lives_from_creation_to_deletion(superadmin: Send, sql: Sql) -> None:
    name, version = make_name(), stored.read_version(sql)
    made = superadmin("POST", "/roles", {"name": name, "description": " Nova "})
    assert made.status_code == 201
    assert made.headers["X-Catalogue-Version"] == str(version + 1)
    assert made.json()["description"] == "Nova"
    assert set(made.json()) == {"id", "name", "description", "created_by", "created_at"}
    assert made.json()["created_by"] == "***.000.013-**"
    assert last_event(sql) == ("role.create", name, version + 1)
    assert refusal(superadmin("POST", "/roles", {"name": name, "description": "Nova"})) == (409, "role-exists")
    granted = [superadmin("POST", f"/roles/{name}/actions", {"action_name": "vehicles:read"}) for _ in range(2)]
    assert [answer.status_code for answer in granted] == [200, 200]
    assert granted[0].json() == granted[1].json()
    assert granted[0].json() == {"status": "action_assigned", "role": name, "action": "vehicles:read"}
    assert [item["name"] for item in superadmin("GET", f"/roles/{name}/actions").json()] == ["vehicles:read"]
    gone = [superadmin("DELETE", f"/roles/{name}/actions/vehicles:read") for _ in range(2)]
    assert [(answer.status_code, answer.content, answer.headers.get("Content-Type")) for answer in gone] == [
        (204, b"", None)
    ] * 2
    assert superadmin("GET", f"/roles/{name}/actions").json() == []
    superadmin("POST", f"/roles/{name}/actions", {"action_name": "vehicles:read"})
    assert superadmin("DELETE", f"/roles/{name}").status_code == 204
    event = stored.read_chain(sql)[-1]
    assert (event["operation"], event["before"]["actions"]) == ("role.delete", ["vehicles:read"])
    assert superadmin("DELETE", f"/roles/{name}").status_code == 404
    stored.verify(stored.read_chain(sql))


def test_roles_are_listed_by_name_and_shipped_ones_have_no_author(superadmin: Send) -> None:
    page = superadmin("GET", "/roles?limit=100").json()
    names = [item["name"] for item in page["items"]]
    assert names == sorted(names)
    assert (page["total"], page["skip"], page["limit"], page["has_more"]) == (len(names), 0, 100, False)
    pages = [superadmin("GET", f"/roles?skip={skip}&limit=1").json() for skip in (0, 3, len(names) - 1)]
    assert [(one["items"][0]["name"], one["skip"], one["limit"], one["has_more"]) for one in pages] == [
        (names[0], 0, 1, True),
        (names[3], 3, 1, True),
        (names[-1], len(names) - 1, 1, False),
    ]
    shipped = next(item for item in page["items"] if item["name"] == "go:admin")
    assert (shipped["created_by"], shipped["created_at"]) == (None, None)


def test_a_name_in_the_path_may_be_escaped(superadmin: Send) -> None:
    assert superadmin("GET", "/roles/go%3Aadmin/actions").status_code == 200
    assert superadmin("GET", "/roles/go%00admin/actions").status_code == 404


@pytest.mark.cases("access", "38")
def test_the_administrative_roles_grant_everything_and_never_change(superadmin: Send, sql: Sql) -> None:
    every = sql("SELECT count(*) FROM access.action")[0]["count"]
    for name in ("admin", "superadmin"):
        assert len(superadmin("GET", f"/roles/{name}/actions").json()) == every
        answers = [
            superadmin("DELETE", f"/roles/{name}"),
            superadmin("POST", f"/roles/{name}/actions", {"action_name": "vehicles:read"}),
            superadmin("DELETE", f"/roles/{name}/actions/vehicles:read"),
        ]
        assert [refusal(answer) for answer in answers] == [(403, "role-administrative")] * 3


@pytest.mark.cases("access", "36")
@pytest.mark.parametrize(("action", "status", "code"), read_values("access", "36"))
def test_what_changes_the_catalogue_is_granted_to_no_other_role(
    superadmin: Send, role: str, sql: Sql, action: str, status: int, code: str
) -> None:
    before = stored.read_version(sql)
    assert refusal(superadmin("POST", f"/roles/{role}/actions", {"action_name": action})) == (status, code)
    assert stored.read_version(sql) == before


@pytest.mark.cases("access", "38")
def test_a_role_that_a_group_gives_stays(superadmin: Send, group: str, role: str) -> None:
    superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": role})
    answer = superadmin("DELETE", f"/roles/{role}")
    assert refusal(answer) == (409, "role-in-use")
    assert group in answer.json()["detail"]
    assert superadmin("DELETE", f"/roles/groups/{group}/roles/{role}").status_code == 204
    assert superadmin("DELETE", f"/roles/{role}").status_code == 204


def test_a_group_lives_from_creation_to_deletion(superadmin: Send, sql: Sql) -> None:
    name = make_name()
    body = {"name": name, "description": "Nova", "attributes": {"area": ["1.0", "2.1"]}}
    made = superadmin("POST", "/groups/", body)
    assert (made.status_code, made.json()["attributes"], made.json()["member_count"]) == (201, body["attributes"], 0)
    assert refusal(superadmin("POST", "/groups/", body)) == (409, "group-exists")
    version = stored.read_version(sql)
    same = superadmin("PUT", f"/groups/{name}", {"description": "Nova", "attributes": None})
    assert (same.status_code, same.json(), stored.read_version(sql)) == (200, made.json(), version)
    changed = superadmin("PUT", f"/groups/{name}", {"attributes": {}})
    assert (changed.json()["attributes"], changed.headers["X-Catalogue-Version"]) == ({}, str(version + 1))
    superadmin("POST", f"/groups/{name}/members", {"subject": EDITOR})
    assert [item["member_count"] for item in superadmin("GET", f"/groups?prefix={name.upper()}").json()] == [1]
    assert superadmin("DELETE", f"/groups/{name}").status_code == 204
    event = stored.read_chain(sql)[-1]
    assert [member["cpf"] for member in event["before"]["members"]] == ["***.000.201-**"]
    assert EDITOR not in str(event)
    assert superadmin("DELETE", f"/groups/{name}").status_code == 404


@pytest.mark.parametrize(
    "attributes",
    [{"Area": ["1"]}, {"area": "1"}, {"area": [1]}, {"area": ["x" * 101]}, {"a" * 41: []}, {"area": ["\0"]}],
)
def test_attributes_are_lists_of_short_texts(superadmin: Send, group: str, attributes: Any) -> None:
    answer = superadmin("PUT", f"/groups/{group}", {"attributes": attributes})
    assert (answer.status_code, answer.json()["detail"][0]["loc"][:2]) == (422, ["body", "attributes"])


def test_a_prefix_is_no_pattern(superadmin: Send, group: str) -> None:
    assert superadmin("GET", "/groups?prefix=%25").json() == []
    names = [item["name"] for item in superadmin("GET", "/groups").json()]
    assert group in names
    assert names == sorted(names)


@pytest.mark.cases("access", "39")
def test_a_member_joins_and_leaves_once_however_often_it_is_asked(superadmin: Send, group: str, sql: Sql) -> None:
    joined = [superadmin("POST", f"/groups/{group}/members", {"subject": NEWCOMER}) for _ in range(2)]
    assert [answer.status_code for answer in joined] == [200, 200]
    assert joined[0].json() == joined[1].json() == {"status": "member_added", "group": group, "subject": NEWCOMER}
    superadmin("POST", f"/groups/{group}/members", {"subject": EDITOR})
    listed = superadmin("GET", f"/groups/{group}/members")
    assert ([item["subject"] for item in listed.json()], listed.headers["X-Total-Count"]) == ([EDITOR, NEWCOMER], "2")
    assert set(listed.json()[0]) == {"subject", "display_name", "joined_at", "added_by"}
    assert {item["added_by"] for item in listed.json()} == {"***.000.013-**"}
    second = superadmin("GET", f"/groups/{group}/members?skip=1&limit=1").json()
    assert [item["subject"] for item in second] == [NEWCOMER]
    left = [superadmin("DELETE", f"/groups/{group}/members/{NEWCOMER}") for _ in range(2)]
    assert [answer.status_code for answer in left] == [204, 204]
    assert left[0].headers["X-Catalogue-Version"] == left[1].headers["X-Catalogue-Version"]
    assert superadmin("POST", f"/groups/{make_name()}/members", {"subject": NEWCOMER}).status_code == 404


def test_who_reads_members_while_they_leave_is_shown_one_instant(
    superadmin: Send, group: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    superadmin("POST", f"/groups/{group}/members", {"subject": EDITOR})
    find = groups._find

    async def find_and_empty(connection: Connection, name: str) -> Any:
        found = await find(connection, name)
        another = await asyncpg.connect(database_url)
        await another.execute("DELETE FROM access.membership WHERE group_id = $1", found.id)
        await another.close()
        return found

    monkeypatch.setattr(groups, "_find", find_and_empty)
    assert [member["subject"] for member in superadmin("GET", f"/groups/{group}/members").json()] == [EDITOR]
    assert superadmin("GET", f"/groups/{group}/members").json() == []


@pytest.mark.cases("access", "40")
@pytest.mark.parametrize("subject", read_values("access", "40"))
def test_a_subject_is_a_cpf(superadmin: Send, group: str, subject: Any) -> None:
    answer = superadmin("POST", f"/groups/{group}/members", {"subject": subject})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "subject"])
    gone = superadmin("DELETE", f"/groups/{group}/members/{subject}")
    if isinstance(subject, str):
        assert (gone.status_code, gone.json()["detail"][0]["loc"]) == (422, ["path", "subject"])
        assert superadmin("GET", f"/users/{subject}").status_code == 422


@pytest.mark.cases("access", "34")
def test_a_removed_member_is_refused_by_the_next_call_though_the_token_is_good(
    http: httpx.Client, issuer: Issuer, superadmin: Send, group: str
) -> None:
    staff = sender(http, issuer.person("90000040398"))
    superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": "acessos:leitor"})
    assert staff("GET", "/roles").status_code == 403
    superadmin("POST", f"/groups/{group}/members", {"subject": "90000040398"})
    assert staff("GET", "/roles").status_code == 200
    superadmin("DELETE", f"/groups/{group}/members/90000040398")
    assert staff("GET", "/roles").status_code == 403


@pytest.mark.cases("access", "35")
def test_nobody_gives_more_than_they_hold(
    http: httpx.Client, issuer: Issuer, superadmin: Send, group: str, sql: Sql
) -> None:
    keeper = sender(http, issuer.person("90000040207", realm_access={"roles": ["acessos:grupos"]}))
    subject = "90000030163"
    assert keeper("POST", f"/groups/{group}/members", {"subject": CITIZEN}).status_code == 200
    superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": "rmi:atendimento"})
    before, kept = stored.read_version(sql), len(stored.read_denials(sql))
    for name, code in ((group, "role-escalation"), ("administradores", "superadmin-only")):
        assert refusal(keeper("POST", f"/groups/{name}/members", {"subject": subject})) == (403, code)
    assert sql("SELECT FROM access.person WHERE cpf = $1", subject) == []
    assert stored.read_version(sql) == before
    denied = stored.read_denials(sql)[kept:]
    assert [(e["operation"], e["outcome"], e["target_name"]) for e in denied] == [
        ("group.add_member", "denied", group),
        ("group.add_member", "denied", "administradores"),
    ]
    wider = sender(http, issuer.person("90000040207", realm_access={"roles": ["acessos:grupos", "rmi:admin"]}))
    assert wider("POST", f"/groups/{group}/members", {"subject": subject}).status_code == 200
    assert keeper("DELETE", f"/groups/{group}/members/{subject}").status_code == 204


def test_administration_is_given_and_taken_by_a_superadmin_alone(admin: Send, superadmin: Send, group: str) -> None:
    assert admin("POST", f"/roles/groups/{group}/roles", {"role_name": "rmi:admin"}).status_code == 200
    refused = [admin("POST", f"/roles/groups/{group}/roles", {"role_name": "admin"})]
    assert superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": "admin"}).status_code == 200
    refused.append(admin("POST", f"/groups/{group}/members", {"subject": NEWCOMER}))
    assert superadmin("POST", f"/groups/{group}/members", {"subject": NEWCOMER}).status_code == 200
    refused.append(admin("DELETE", f"/groups/{group}/members/{NEWCOMER}"))
    refused.append(admin("DELETE", f"/roles/groups/{group}/roles/admin"))
    refused.append(admin("DELETE", f"/groups/{group}"))
    assert [refusal(answer) for answer in refused] == [(403, "superadmin-only")] * 5
    assert superadmin("DELETE", f"/groups/{group}").status_code == 204


def test_an_administrator_may_leave_the_own_group(http: httpx.Client, issuer: Issuer, superadmin: Send) -> None:
    superadmin("POST", "/groups/administradores/members", {"subject": NEWCOMER})
    leaving = sender(http, issuer.person(NEWCOMER))
    assert leaving("DELETE", f"/groups/administradores/members/{NEWCOMER}").status_code == 204
    assert leaving("GET", "/roles").status_code == 403


def test_a_name_or_role_that_no_database_stores_is_left_out(http: httpx.Client, issuer: Issuer) -> None:
    token = issuer.person("90000000418", name="A\0B", given_name=None, realm_access={"roles": ["a\0", "rmi:admin"]})
    mine = sender(http, token)("GET", "/users/me")
    assert (mine.status_code, mine.json()["display_name"], mine.json()["roles"]) == (200, None, ["rmi:admin"])
