"""Every operation accepts exactly the callers that its rule allows (rules: employability 2, 4.6).

This is case 66 of the rules page. The rules are read from the page, and each role's actions are listed here
independently.
"""

import json
import re
from pathlib import Path

import httpx
import pytest

from balcao.core.http import pages
from balcao.core.http.openapi import error_statuses
from balcao.employability import SERVICE
from tests.employability.rules_table import Who, read_rules, shape
from tests.support.demo_people import ANA, BRUNO, GILDA
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations

PAGE = (Path(__file__).parents[2] / "docs/reference/rules/employability.md").read_text("utf-8")
[_LINE] = re.findall(r"^Actions of this service.*?: (`.*?`)\. ", PAGE, re.MULTILINE)
EVERY_ACTION = frozenset(re.findall(r"`([^`]+)`", _LINE))
CURATED = frozenset(
    "employer:create employer:update employer:lookup job_listing:read job_listing:create job_listing:update"
    " job_listing:submit job_listing:delete job_application:read job_application:decide"
    " job_application:create_any".split()
)
FREE = CURATED | frozenset(
    "job_listing:update_published job_listing:publish job_listing:pause job_listing:close"
    " job_listing:delete_published".split()
)
VISITOR, OWNER, OTHER, MACHINE = "visitor", "the person of the path", "another citizen", "machine"
STAFF = {
    "go:admin": EVERY_ACTION,
    "go:empregabilidade:admin": EVERY_ACTION
    - {"resume:read_any", "resume:write_any", "resume_bank:read", "job_application:read_sensitive"},
    "go:empregabilidade:editor_sem_curadoria": FREE,
    "go:empregabilidade:editor_com_curadoria": CURATED,
    "go:empregabilidade:editor": CURATED,
    "go:curriculos:editor": frozenset({"resume_bank:read"}),
}
# Error codes of refusals whose reason is not the rule but a token without a CPF.
TOLD_BY_TOKEN = {"token-without-cpf"}


RULES = read_rules()
OURS = [served for served in all_operations() if served.operation in SERVICE.routes]
# The catalogue maps an operation to one action. This operation needs one of two, so it checks them after it has read
# the body.
TESTS_ITSELF = "employability.send_to_draft_job"


def key(served: Served) -> tuple[str, str]:
    return served.method, shape(served.operation.path)


def passes(rule: Who, who: str) -> bool:
    """Return whether the rule allows the call. The use case may still return 404 for another department's record."""
    if rule.kind == "public":
        return True
    if who == VISITOR:
        return False
    is_own = rule.kind == "self" and who == OWNER
    return is_own or rule.kind in {"authenticated", "owner", "own"} or bool(rule.actions & STAFF.get(who, frozenset()))


@pytest.fixture(scope="module")
def tokens(issuer: Issuer) -> dict[str, dict[str, str]]:
    people = {OWNER: bearer(issuer.person(ANA)), OTHER: bearer(issuer.person(BRUNO))}
    staff = {role: bearer(issuer.person(GILDA, realm_access={"roles": [role]})) for role in STAFF}
    return {VISITOR: {}, MACHINE: bearer(issuer.machine("painel-saude")), **people, **staff}


@pytest.mark.cases("employability", "66")
def test_the_page_has_a_row_for_each_operation_and_for_no_other() -> None:
    assert len(OURS) > 150
    assert sorted(map(key, OURS)) == sorted(RULES)


@pytest.mark.cases("employability", "66")
@pytest.mark.parametrize("who", [VISITOR, OWNER, OTHER, MACHINE, *STAFF])
def test_each_caller_passes_where_the_rule_says_so_and_nowhere_else(
    http: httpx.Client, tokens: dict[str, dict[str, str]], who: str
) -> None:
    """The bodies are malformed, so a call that passes the rule changes nothing."""
    wrong = {}
    for served in OURS:
        answer = call(http, served, tokens[who])
        refused = answer.status_code in {401, 403} and answer.headers["Error-Code"] not in TOLD_BY_TOKEN
        if refused == passes(RULES[key(served)], who):
            wrong[str(served)] = (answer.status_code, answer.headers.get("Error-Code"))
        elif refused:
            assert answer.status_code == (401 if who == VISITOR else 403), served
    assert wrong == {}


def call(http: httpx.Client, served: Served, headers: dict[str, str]) -> httpx.Response:
    values = {name: str(marker.example) for name, marker in served.operation.signature.path.items()}
    is_broken = served.method in {"POST", "PUT"} and served.operation.key != TESTS_ITSELF
    body = b"{" if is_broken else None
    return http.request(served.method, served.filled(**values), content=body, headers=headers)


def test_every_operation_has_the_rate_of_the_rules() -> None:
    """Check the rates that are listed in the rules (rules: employability 2.4, 5.7)."""
    special = {
        "employability.submit_application": "10/minute",
        "employability.list_applications": "120/minute",
        "employability.look_up_company": "30/minute",
    }
    for served in OURS:
        usual = None if served.method == "GET" else "60/minute"
        assert served.operation.rate == special.pop(served.operation.key, usual), served
    assert special == {}


def test_every_post_takes_an_idempotency_key_but_those_that_are_safe_to_repeat() -> None:
    """Every POST accepts an idempotency key unless it is already safe to repeat (rules: employability 2.0.13)."""
    document = json.loads(pages.document(SERVICE))["paths"]
    without = {
        served.operation.key
        for served in OURS
        if served.method == "POST"
        and "Idempotency-Key"
        not in {each["name"] for each in document[served.operation.path]["post"].get("parameters", ())}
    }
    assert without == {"employability.add_behaviour_link", "employability.add_skill_link"}


def test_of_the_rows_of_a_resume_only_a_language_may_be_there_twice() -> None:
    """Only replacing a language in a resume can conflict (rules: employability 2.8)."""
    replaced = [served.operation for served in OURS if served.method == "PUT" and "/curriculo/" in served.path]
    conflicting = {operation.key for operation in replaced if 409 in error_statuses(operation)}
    assert conflicting == {"employability.replace_resume_language"}


def test_every_action_of_the_page_is_one_of_an_operation_and_no_other() -> None:
    named = {name for served in OURS for name in (served.operation.rule.action, *served.operation.rule.also)}
    assert {name for name in named if not name.startswith("platform:")} - EVERY_ACTION == set()
