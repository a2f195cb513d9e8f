"""Versions are compared over HTTP."""

from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from balcao.core.context.platform import Platform
from balcao.search.services import service as services
from tests.search.support import act_as_staff, body, make_button, refusal
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

CITIZEN = ANA


def path(service_id: object) -> str:
    return f"/search/api/v1/admin/services/{service_id}/versions/compare"


@pytest.fixture
def ask(http: httpx.Client, issuer: Issuer) -> Any:
    """Compare versions as an administrator."""

    def run(service_id: object, **query: Any) -> httpx.Response:
        return http.get(path(service_id), params=query, headers=bearer(issuer.admin()))

    return run


@pytest_asyncio.fixture
async def service_id(platform: Platform) -> str:
    """A service with four versions: created, renamed, changed values of every type, deleted."""
    call = act_as_staff(platform)
    first = {"sub_categoria": "Áreas verdes", "documentos_necessarios": [], "buttons": [make_button()]}
    created = await services.create_service(call, body(**first))
    await services.update_service(call, created.id, body(**first, nome_servico="Poda de árvores"))
    changed = {"sub_categoria": None, "is_free": False, "buttons": [make_button(url_service="https://outro.example/2")]}
    await services.update_service(
        call, created.id, body(**changed, nome_servico="Poda de árvores", documentos_necessarios=...)
    )
    await services.delete_service(call, created.id)
    return created.id


@pytest.mark.cases("search", "5")
def test_the_answer_has_exactly_the_members_of_the_specification(ask: Any, service_id: str) -> None:
    answer = ask(service_id, from_version=1, to_version=2)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Request-ID"]
    found = answer.json()
    assert isinstance(found.pop("changed_at"), int)
    assert found == {
        "change_type": "update",
        "changed_by": "Jorge Valente",
        "from_version": 1,
        "to_version": 2,
        "changes": [
            {
                "field_name": "nome_servico",
                "old_value": "Poda de árvore",
                "new_value": "Poda de árvores",
                "value_type": "string",
            }
        ],
    }


@pytest.mark.cases("search", "6", "7", "8")
def test_each_kind_of_value_is_told_with_its_type(ask: Any, service_id: str) -> None:
    changes = ask(service_id, from_version=2, to_version=3).json()["changes"]
    assert [(c["field_name"], c["value_type"]) for c in changes] == [
        ("sub_categoria", "string"),
        ("is_free", "bool"),
        ("buttons", "array"),
    ]
    assert (changes[0]["old_value"], changes[0]["new_value"]) == ("Áreas verdes", None)
    assert (changes[1]["old_value"], changes[1]["new_value"]) == (None, False)


@pytest.mark.cases("search", "4")
def test_from_above_to_exchanges_old_and_new_and_tells_of_the_other_version(ask: Any, service_id: str) -> None:
    forth = ask(service_id, from_version=1, to_version=2).json()
    back = ask(service_id, from_version=2, to_version=1).json()
    assert back["change_type"] == "create"
    assert [(c["old_value"], c["new_value"]) for c in back["changes"]] == [
        (c["new_value"], c["old_value"]) for c in forth["changes"]
    ]


@pytest.mark.cases("search", "3")
def test_a_version_does_not_differ_from_itself(ask: Any, service_id: str) -> None:
    assert ask(service_id, from_version=2, to_version=2).json()["changes"] == []


@pytest.mark.cases("search", "9")
def test_versions_of_a_deleted_service_are_still_compared(ask: Any, service_id: str) -> None:
    answer = ask(service_id, from_version=3, to_version=4).json()
    assert (answer["change_type"], answer["changes"]) == ("delete", [])


@pytest.mark.cases("search", "1")
@pytest.mark.parametrize(("first", "second", "code"), read_values("search", "1"))
def test_a_version_that_is_no_integer_is_named_in_a_400(
    ask: Any, service_id: str, first: Any, second: Any, code: str
) -> None:
    sent = {"from_version": first, "to_version": second}
    answer = ask(service_id, **{name: text for name, text in sent.items() if text is not ...})
    assert (*refusal(answer), list(answer.json())) == (400, code, ["error"])
    assert f"`{code.partition('-')[0]}`" in answer.json()["error"]


def test_of_a_repeated_parameter_the_first_counts(http: httpx.Client, issuer: Issuer, service_id: str) -> None:
    query = "?from_version=1&to_version=2&to_version=abc"
    assert http.get(path(service_id) + query, headers=bearer(issuer.admin())).json()["to_version"] == 2


@pytest.mark.cases("search", "2")
@pytest.mark.parametrize("name", ["from_version", "to_version"])
@pytest.mark.parametrize("number", [5, 2147483647])
def test_a_version_that_does_not_exist_is_named_in_a_404(ask: Any, service_id: str, name: str, number: int) -> None:
    answer = ask(service_id, **({"from_version": 1, "to_version": 1} | {name: number}))
    assert refusal(answer) == (404, "version-unknown")
    assert f"`{name}`" in answer.json()["error"]


@pytest.mark.cases("search", "2")
@pytest.mark.parametrize(
    "unknown",
    ["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11", "x", "1", "%00", "urn:uuid:5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"],
)
def test_a_service_that_never_existed_is_a_404_whatever_its_id_looks_like(ask: Any, unknown: object) -> None:
    answer = ask(unknown, from_version=1, to_version=1)
    assert (*refusal(answer), list(answer.json())) == (404, "not-found", ["error"])


def test_a_wrong_query_is_told_before_an_unknown_service(ask: Any) -> None:
    assert refusal(ask(uuid4(), from_version=1)) == (400, "to_version-missing")


@pytest.mark.cases("search", "11")
def test_a_citizen_is_refused_alike_for_known_and_unknown_services(
    http: httpx.Client, issuer: Issuer, service_id: str
) -> None:
    token = bearer(issuer.person(CITIZEN))
    answers = [http.get(path(known), headers=token) for known in (service_id, uuid4(), "x")]
    assert {(answer.status_code, answer.text) for answer in answers} == {(403, answers[0].text)}


@pytest.mark.cases("search", "10")
@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", path("5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11")),
        ("POST", "/search/api/v1/admin/migration/rollback"),
        ("GET", "/search/api/v1/admin/migration/history"),
    ],
)
def test_without_a_valid_token_nothing_is_revealed(
    http: httpx.Client, issuer: Issuer, method: str, address: str
) -> None:
    tokens = [issuer.admin(exp=1), issuer.admin(aud="other"), issuer.admin()[:-4] + "AAAA"]
    answers = [http.request(method, address), *(http.request(method, address, headers=bearer(t)) for t in tokens)]
    assert {answer.status_code for answer in answers} == {401}
    assert all(list(answer.json()) == ["error"] for answer in answers)
