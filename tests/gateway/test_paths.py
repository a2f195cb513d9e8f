"""Path rules of all operations: methods, escapes and slashes, and bodies that are rejected unread."""

import gzip
import json
import re
from urllib.parse import urljoin

import httpx
import msgspec
import pytest

from balcao.core.errors import NotFound
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations
from tests.support.sandbox import ADMIN

WITH_BODY = [
    served
    for served in all_operations()
    if served.operation.signature.body is not None or served.operation.signature.takes_content
]


def test_options_and_405_name_the_same_methods_on_every_path(http: httpx.Client) -> None:
    for path in sorted({served.filled() for served in all_operations()}):
        options, refused = http.options(path), http.request("PROPFIND", path)
        assert options.status_code == 204, path
        assert (refused.status_code, refused.headers["Error-Code"]) == (405, "method-not-allowed"), path
        assert options.headers["Allow"] == refused.headers["Allow"], path


@pytest.mark.long
def test_every_method_that_is_named_is_there_and_no_other_one(http: httpx.Client) -> None:
    for path in sorted({served.filled() for served in all_operations()}):
        named = set(http.options(path).headers["Allow"].split(", "))
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"):
            is_there = http.request(method, path).status_code != 405
            assert is_there == (method in named), (method, path)


def test_a_path_that_could_be_read_in_two_ways_is_refused_in_the_words_of_its_operations(http: httpx.Client) -> None:
    differing = []
    for served in all_operations():
        if "{" not in served.operation.path or served.path.endswith("{rest}"):
            continue
        path = served.service.prefix + re.sub(r"{\w+}", "a%5Cb", served.path)
        answer = http.request(served.method, path)
        words = msgspec.json.decode(answer.content) if answer.content else {}
        wanted = msgspec.json.decode(msgspec.json.encode(served.operation.dialect.body(NotFound())))
        if answer.status_code != 404:
            continue
        if answer.headers["Error-Code"] != "not-found" or (served.method != "HEAD" and words != wanted):
            differing.append(f"{served}: {words}")
    assert differing == []


def test_a_query_with_too_many_parameters_is_refused_in_the_words_of_its_operation(
    http: httpx.Client, issuer: Issuer
) -> None:
    statuses: set[tuple[bool, int]] = set()
    for served in all_operations():
        if served.method == "GET" and served.operation.signature.queries and "{" not in served.path:
            path = f"{served.service.prefix}{served.path}?{'a&' * 500}"
            answer = http.get(path, headers=bearer(issuer.person(ADMIN)))
            if answer.status_code != 403:
                statuses.add((served.operation.dialect.lists_faults, answer.status_code))
                assert answer.headers["Error-Code"] == "invalid"
    assert statuses == {(False, 400), (True, 422)}


@pytest.mark.parametrize("cpf", ["900%2E000%2E001-75", "900%2e000%2e001%2D75", "900.000.001-75", "%3900000001%37%35"])
def test_a_cpf_is_read_whatever_of_it_is_escaped(http: httpx.Client, issuer: Issuer, cpf: str) -> None:
    answer = http.get(f"/registry/v1/citizen/{cpf}/notification-preferences", headers=bearer(issuer.person(ANA)))
    assert (answer.status_code, answer.json()["cpf"]) == (200, ANA)


@pytest.mark.parametrize("served", WITH_BODY, ids=str)
def test_a_compressed_body_is_refused_in_words_that_say_so(http: httpx.Client, issuer: Issuer, served: Served) -> None:
    machines = {"/webhooks/crm/": "crm-sandbox", "/recipients/check": "balcao-platform"}
    client = next((name for part, name in machines.items() if part in served.path), None)
    who = issuer.admin(ANA) if client is None else issuer.machine(client)
    sent = gzip.compress(json.dumps({"valor": "Outro"}).encode())
    headers = bearer(who) | {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    answer = http.request(served.method, served.filled(), content=sent, headers=headers)
    assert (answer.status_code, answer.headers["Error-Code"]) == (415, "body-compressed")
    assert "Content-Encoding" in answer.text


def test_identity_is_no_compression(http: httpx.Client) -> None:
    headers = {"Content-Encoding": "identity"}
    assert http.post("/registry/v1/validate/email", json={"email": "a@b.com"}, headers=headers).status_code == 200


def test_the_agents_descriptions_links_work_with_and_without_a_slash(http: httpx.Client) -> None:
    for path in ("/agent-docs/", "/agent-docs"):
        root = http.get(path).json()
        addresses = [root["description"], root["health"], *(service["base"] for service in root["services"])]
        found = [urljoin(path, address) for address in addresses]
        assert found == ["/agent-docs/swagger.json", "/agent-docs/readiness", "/agent"], path
    assert http.get("/agent-docs/").json()["description"] == "swagger.json"
