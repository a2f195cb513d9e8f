"""PUT /api/v1/actions/{action_id}, as the specification describes it (rules: access 2.1)."""

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.access.actions import service
from balcao.access.actions.schemas import ActionChange
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from tests.access import stored
from tests.access.stored import format_path
from tests.support.demo_people import KLEBER
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer, bearer
from tests.support.refusals import refusal
from tests.support.rules import read_values

ADMIN_CPF = KLEBER
NAME = re.compile(r"[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+")


@pytest.fixture
def admin(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.admin())


def faults(answer: httpx.Response) -> list[tuple[tuple[str, ...], str]]:
    assert refusal(answer) == (422, "invalid"), answer.text
    assert all(set(item) == {"loc", "msg", "type"} for item in answer.json()["detail"])
    return [(tuple(item["loc"]), item["type"]) for item in answer.json()["detail"]]


@pytest.mark.cases("access", "3")
def test_name_and_description_change_and_all_else_follows(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id = stored.find_action_id(sql, "preferences:read")
    count = sql("SELECT count(*) FROM access.endpoint_mapping WHERE action_id = $1 AND retired_at IS NULL", action_id)
    before, old = stored.read_version(sql), stored.read_action(sql, action_id)
    answer = http.put(
        format_path(action_id), headers=admin, json={"name": "preferences:look", "description": "  Ver  "}
    )
    assert (answer.status_code, answer.headers["X-Catalogue-Version"]) == (200, str(before + 1))
    assert answer.json() == {
        "id": action_id,
        "name": "preferences:look",
        "description": "Ver",
        "endpoint_count": count[0]["count"],
    }
    assert answer.json()["endpoint_count"] > 0
    event = stored.read_chain(sql)[-1]
    assert (event["operation"], event["target_id"], event["outcome"]) == ("action.update", str(action_id), "done")
    assert event["before"] == {"name": old[0], "description": old[1]}
    assert event["after"] == {"name": "preferences:look", "description": "Ver"}
    assert event["catalogue_version"] == before + 1
    assert event["request_id"] == answer.headers["X-Request-ID"]
    stored.verify(stored.read_chain(sql))


@pytest.mark.parametrize("member", ["name", "description"])
def test_one_member_alone_leaves_the_other(http: httpx.Client, admin: Any, sql: Sql, member: str) -> None:
    action_id = stored.add_action(sql)
    wanted = dict(zip(("name", "description"), stored.read_action(sql, action_id), strict=True)) | {
        member: stored.make_name()
    }
    answer = http.put(
        format_path(action_id), headers=admin, json={member: wanted[member], "endpoint_count": 9, "id": 1}
    )
    assert answer.json() == {"id": action_id, "endpoint_count": 0, **wanted}


@pytest.mark.cases("access", "4")
def test_nothing_new_writes_nothing(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id = stored.add_action(sql)
    name, description = stored.read_action(sql, action_id)
    before = stored.read_version(sql), stored.read_chain(sql)
    bodies: list[dict[str, Any]] = [
        {},
        {"name": None},
        {"name": None, "description": None},
        {"name": name},
        {"name": name, "description": f" {description} "},
    ]
    answers = [http.put(format_path(action_id), headers=admin, json=body) for body in bodies]
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.headers["X-Catalogue-Version"] for answer in answers} == {str(before[0])}
    assert (stored.read_version(sql), stored.read_chain(sql)) == before


@pytest.mark.cases("access", "5")
def test_a_name_of_another_action_is_refused_in_the_same_letters_only(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id = stored.add_action(sql)
    before = stored.read_version(sql)
    taken = http.put(format_path(action_id), headers=admin, json={"name": "citizen:read", "description": "Outra"})
    assert refusal(taken) == (400, "action-name-taken")
    assert (set(taken.json()), type(taken.json()["detail"])) == ({"detail"}, str)
    assert (stored.read_version(sql), stored.read_action(sql, action_id)[1]) == (before, "De teste")
    assert http.put(format_path(action_id), headers=admin, json={"name": "Citizen:READ"}).status_code == 200


def hs256_with_the_public_key(issuer: Issuer) -> str:
    def part(value: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    claims = {"iss": issuer.address, "aud": "account", "exp": time.time() + 300, "realm_access": {"roles": ["admin"]}}
    signed = part({"alg": "HS256", "kid": issuer.keys[-1].kid}) + b"." + part(claims)
    digest = hmac.new(issuer.keys[-1].as_pem(private=False), signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(digest).rstrip(b"=")).decode()


def unsigned(issuer: Issuer) -> str:
    _, claims, _ = issuer.admin().split(".")
    return base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode() + f".{claims}."


@pytest.mark.cases("access", "6")
def test_without_a_good_token_the_answer_is_401(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    good = issuer.admin()
    hostile = {
        "none": {},
        "basic": {"Authorization": "Basic dTpw"},
        "expired": bearer(issuer.admin(exp=int(time.time()) - 60)),
        "unsigned": bearer(unsigned(issuer)),
        "public key as secret": bearer(hs256_with_the_public_key(issuer)),
        "wrong audience": bearer(issuer.admin(aud="other")),
        "tampered": bearer(good[:-8] + ("A" * 8 if good[-8:] != "A" * 8 else "B" * 8)),
    }
    answers = {kind: http.put(format_path("abc"), headers=headers, content="[") for kind, headers in hostile.items()}
    missing = {"none": (401, "unauthenticated"), "basic": (401, "unauthenticated")}
    assert {kind: refusal(answer) for kind, answer in answers.items()} == {
        kind: missing.get(kind, (401, "token-invalid")) for kind in hostile
    }
    assert {answer.headers["WWW-Authenticate"] for answer in answers.values()} == {"Bearer"}
    assert all(set(answer.json()) == {"detail"} for answer in answers.values())


@pytest.mark.cases("access", "7")
def test_only_administrators_may_and_each_refusal_is_kept_beside_the_chain(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    before, chain, kept = stored.read_version(sql), stored.read_chain(sql), len(stored.read_denials(sql))
    callers = [
        issuer.person("90000000175"),
        issuer.person("90000020109", realm_access={"roles": ["busca:services:editor", "go:admin", "rmi:admin"]}),
        issuer.person("90000040207", realm_access={"roles": ["acessos:leitor", "acessos:grupos"]}),
        issuer.machine(CLIENT, "busca:search", "rmi:pessoa-fisica:read"),
    ]
    targets = (1, "abc", 3, "9" * 30)
    answers = [http.put(format_path(t), headers=bearer(c), content="[") for c, t in zip(callers, targets, strict=True)]
    assert [refusal(answer) for answer in answers] == [(403, "forbidden")] * 4
    assert all("`action:update`" in answer.json()["detail"] for answer in answers)
    assert (stored.read_version(sql), stored.read_chain(sql)) == (before, chain)
    events = stored.read_denials(sql)[kept:]
    assert [(event["operation"], event["outcome"], event["target_id"]) for event in events] == [
        ("action.update", "denied", "1"),
        ("action.update", "denied", None),
        ("action.update", "denied", "3"),
        ("action.update", "denied", None),
    ]
    assert events[0]["actor"]["cpf"] == "***.000.001-**"
    assert "90000000175" not in json.dumps(events)
    assert (events[3]["actor"]["azp"], events[3]["actor"]["cpf"]) == (CLIENT, None)


@pytest.mark.cases("access", "8")
@pytest.mark.parametrize("unknown", read_values("access", "8"))
def test_an_integer_without_an_action_is_not_found(http: httpx.Client, admin: Any, unknown: str) -> None:
    answer = http.put(format_path(unknown), headers=admin, json={})
    assert (answer.status_code, type(answer.json()["detail"])) == (404, str)


@pytest.mark.cases("access", "9")
@pytest.mark.parametrize("odd", read_values("access", "9"))
def test_what_is_no_integer_is_a_fault_of_the_path(http: httpx.Client, admin: Any, odd: str) -> None:
    assert faults(http.put(format_path(odd), headers=admin, json={})) == [(("path", "action_id"), "int_parsing")]


@pytest.mark.cases("access", "10", "12")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        *(({member: value}, {member: kind}) for member, value, kind in read_values("access", "10")),
        ({"name": "a:" + "b" * 99}, {"name": "string_too_long"}),
        (
            {"name": "nocolon", "description": ""},
            {"name": "string_pattern_mismatch", "description": "string_too_short"},
        ),
    ],
)
def test_every_fault_of_the_body_is_named(
    http: httpx.Client, admin: Any, sql: Sql, body: dict[str, Any], expected: dict[str, str]
) -> None:
    wanted = {(("body", member), kind) for member, kind in expected.items()}
    assert set(faults(http.put(format_path(stored.add_action(sql)), headers=admin, json=body))) == wanted
    assert set(faults(http.put(format_path(999999), headers=admin, json=body))) == wanted


@pytest.mark.cases("access", "11")
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'{"name":', "json_invalid"),
        (b"\xff\xfe", "json_invalid"),
        (b'{"description": "\\ud800"}', "json_invalid"),
        (b"[" * 500 + b"]" * 500, "json_invalid"),
        (b"[]", "dict_type"),
        (b'"text"', "dict_type"),
        (b"null", "dict_type"),
        (b"", "missing"),
        (b"  ", "missing"),
    ],
)
def test_a_body_that_is_no_object_is_a_fault(
    http: httpx.Client, admin: Any, sql: Sql, content: bytes, kind: str
) -> None:
    assert faults(http.put(format_path(stored.add_action(sql)), headers=admin, content=content)) == [(("body",), kind)]
    both = [(("path", "action_id"), "int_parsing"), (("body",), kind)]
    assert faults(http.put(format_path("abc"), headers=admin, content=content)) == both


def test_faults_of_path_and_body_come_together(http: httpx.Client, admin: Any) -> None:
    answer = http.put(format_path("abc"), headers=admin, json={"name": "nocolon", "description": 1})
    assert faults(answer) == [
        (("path", "action_id"), "int_parsing"),
        (("body", "name"), "string_pattern_mismatch"),
        (("body", "description"), "string_type"),
    ]


@pytest.mark.cases("access", "11")
def test_json_counts_whatever_its_label_says(http: httpx.Client, admin: Any, sql: Sql) -> None:
    for label in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain"):
        headers = admin | {"Content-Type": label}
        answer = http.put(format_path(stored.add_action(sql)), headers=headers, content=b'{"description": "Nova"}')
        assert (answer.status_code, answer.json().get("description")) == (200, "Nova")


def test_a_body_over_256_kib_is_too_large(http: httpx.Client, admin: Any, sql: Sql) -> None:
    answer = http.put(format_path(stored.add_action(sql)), headers=admin, json={"more": "x" * 300_000})
    assert (refusal(answer), set(answer.json())) == ((413, "too-large"), {"detail"})


@pytest.mark.long
@settings(max_examples=200)
@given(name=st.one_of(st.from_regex(NAME, fullmatch=True), st.text(max_size=120), st.integers(), st.none()))
def test_any_name_is_taken_or_refused_by_its_form_alone(
    http: httpx.Client, issuer: Issuer, sql: Sql, name: Any
) -> None:
    action_id = stored.add_action(sql)
    answer = http.put(format_path(action_id), headers=bearer(issuer.admin()), content=json.dumps({"name": name}))
    fits = isinstance(name, str) and 3 <= len(name) <= 100 and NAME.fullmatch(name) is not None
    if fits and answer.status_code == 400:  # the name may already exist from an earlier example
        assert sql("SELECT FROM access.action WHERE name = $1", name)
        return
    assert answer.status_code == (200 if fits or name is None else 422)
    if fits:
        assert stored.read_action(sql, action_id)[0] == name


@pytest.mark.cases("access", "17")
def test_the_name_of_a_reserved_action_is_fixed_its_description_is_not(
    http: httpx.Client, admin: Any, sql: Sql
) -> None:
    action_id, kept = stored.find_action_id(sql, "platform:public"), len(stored.read_denials(sql))
    refused = http.put(format_path(action_id), headers=admin, json={"name": "platform:open", "description": "Nova"})
    assert (refusal(refused), type(refused.json()["detail"])) == ((403, "action-reserved"), str)
    assert stored.read_action(sql, action_id)[1] != "Nova"
    event = stored.read_denials(sql)[kept]
    assert (event["operation"], event["target_id"], event["outcome"]) == ("action.update", str(action_id), "denied")
    answer = http.put(format_path(action_id), headers=admin, json={"name": "platform:public", "description": "Nova"})
    assert (answer.status_code, answer.json()["description"]) == (200, "Nova")


def test_if_match_guards_against_a_change_in_between(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id = stored.add_action(sql)
    etag = http.put(format_path(action_id), headers=admin, json={"description": "Um"}).headers["ETag"]
    first = http.put(format_path(action_id), headers=admin | {"If-Match": etag}, json={"description": "Dois"})
    late = http.put(format_path(action_id), headers=admin | {"If-Match": etag}, json={"description": "Três"})
    any_state = http.put(format_path(action_id), headers=admin | {"If-Match": "*"}, json={"description": "Quatro"})
    assert [refusal(answer) for answer in (first, late, any_state)] == [
        (200, None),
        (412, "precondition-failed"),
        (200, None),
    ]
    assert set(late.json()) == {"detail"}
    assert http.put(format_path(999999), headers=admin | {"If-Match": "*"}, json={}).status_code == 404


def test_a_trailing_slash_is_the_same_operation_without_a_redirect(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id = stored.add_action(sql)
    answers = [http.put(format_path(action_id) + end, headers=admin, json={}) for end in ("", "/")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()


@pytest.mark.cases("access", "14")
def test_the_action_that_guards_this_operation_can_itself_be_renamed(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id = stored.find_action_id(sql, "action:update")
    names = ["catalogue_action:change", "action:update"]
    assert [http.put(format_path(action_id), headers=admin, json={"name": n}).status_code for n in names] == [200, 200]


@pytest.mark.cases("access", "16")
def test_a_freed_name_given_to_a_custom_action_opens_nothing(
    http: httpx.Client, issuer: Issuer, admin: Any, sql: Sql
) -> None:
    renamed, impostor = stored.find_action_id(sql, "citizen:read"), stored.add_action(sql)
    assert http.put(format_path(renamed), headers=admin, json={"name": "citizen:look"}).status_code == 200
    assert http.put(format_path(impostor), headers=admin, json={"name": "citizen:read"}).status_code == 200
    role = sql("INSERT INTO access.role (name, description, origin) VALUES ('impostor', 'x', 'custom') RETURNING id")
    sql("INSERT INTO access.role_action (role_id, action_id) VALUES ($1, $2)", role[0]["id"], impostor)
    sql("SELECT access.raise_version()")
    assert http.put(format_path(impostor), headers=admin, json={"description": "Nova versão"}).status_code == 200
    token = issuer.person("90000000175", realm_access={"roles": ["impostor"]})
    assert http.get("/registry/v1/citizen/90000000256", headers=bearer(token)).status_code == 403


@pytest.mark.cases("access", "18")
def test_two_renames_to_one_name_at_once_end_as_one_200_and_one_400(http: httpx.Client, admin: Any, sql: Sql) -> None:
    first, second = stored.add_action(sql), stored.add_action(sql)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(50):
            body = {"name": stored.make_name()}
            answers = list(pool.map(lambda i, b=body: http.put(format_path(i), headers=admin, json=b), (first, second)))
            assert sorted(answer.status_code for answer in answers) == [200, 400]
    stored.verify(stored.read_chain(sql))


def test_many_renames_of_one_action_at_once_all_happen_in_some_order(http: httpx.Client, admin: Any, sql: Sql) -> None:
    action_id, before = stored.add_action(sql), stored.read_version(sql)
    names = [stored.make_name() for _ in range(20)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda name: http.put(format_path(action_id), headers=admin, json={"name": name}), names)
        )
    assert {answer.status_code for answer in answers} == {200}
    versions = [int(answer.headers["X-Catalogue-Version"]) for answer in answers]
    assert sorted(versions) == list(range(before + 1, before + 21))
    last = names[versions.index(max(versions))]
    assert stored.read_action(sql, action_id)[0] == last
    renames = [
        e for e in stored.read_chain(sql) if e["target_id"] == str(action_id) and e["operation"] == "action.update"
    ]
    assert all(one["after"] == two["before"] for one, two in itertools.pairwise(renames))
    stored.verify(stored.read_chain(sql))


async def test_changes_that_come_together_share_a_commit_and_follow_each_other(platform: Platform) -> None:
    call = operator_call(platform, "access.test")
    first, second = [(await service.create_action(call, stored.make_name(), "De teste")).action for _ in range(2)]
    freed, new = first.name, stored.make_name()
    version = platform.catalogue.latest.version
    answers = await asyncio.gather(
        service.update_action(call, first.id, ActionChange(name=new)),
        service.update_action(call, second.id, ActionChange(name=freed)),  # the first change frees this name
        service.update_action(call, second.id, ActionChange(name=new)),  # the first change takes this name
        service.update_action(call, 999_999, ActionChange(name=stored.make_name())),
        service.update_action(call, second.id, ActionChange(name=freed)),  # the name stays the same
        service.update_action(call, second.id, ActionChange(description="Outra")),
        return_exceptions=True,
    )
    done = [answer for answer in answers if not isinstance(answer, BaseException)]
    assert [(saved.action.name, saved.version - version) for saved in done] == [
        (new, 1),
        (freed, 2),
        (freed, 2),
        (freed, 3),
    ]
    assert [type(answer).__name__ for answer in answers if isinstance(answer, BaseException)] == ["Invalid", "NotFound"]
    assert platform.catalogue.latest.version == version + 3
    async with platform.database.connection() as connection:
        made = await connection.fetch(
            "SELECT xmin::text FROM access.audit_event WHERE catalogue_version > $1 AND seq IS NOT NULL", version
        )
    assert (len(made), len({row["xmin"] for row in made})) == (3, 1)
