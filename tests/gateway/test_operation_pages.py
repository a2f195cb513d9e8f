"""Every operation has a page with its calls and refusals, and no link is broken."""

import html
import re
from collections.abc import Iterator
from urllib.parse import urljoin

import httpx
import pytest

from balcao.developer_portal.descriptions import Document
from balcao.developer_portal.members import list_members
from balcao.developer_portal.operation_pages import CODES, ROOTS
from balcao.developer_portal.rules import explain_rule
from balcao.settings import Settings
from clients.generator.documents import read_documents
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import free_port

# An ordinary run checks every twentieth operation's page.
SAMPLE = 20
DOCUMENTS = read_documents()
LINK = re.compile(r'href="([^"#]+)[^"]*"')


@pytest.fixture(scope="module")
def sandbox(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port())
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened


def read_links(sandbox: Sandbox, path: str) -> set[str]:
    page = sandbox.http.get(path).raise_for_status().text
    return {link for link in LINK.findall(page) if not link.startswith("data:")}


@pytest.mark.long
@pytest.mark.parametrize("root", ROOTS.values())
def test_every_operation_has_a_page_that_the_lists_lead_to(sandbox: Sandbox, root: str) -> None:
    listed = {
        link
        for document in DOCUMENTS
        for link in read_links(sandbox, f"{root}/{document.service}")
        if link.count("/") == root.count("/") + 2
    }
    assert listed == {f"{root}/{document.service}/{one.key}" for document in DOCUMENTS for one in document.operations}
    assert {f"{root}/{document.service}" for document in DOCUMENTS} <= read_links(sandbox, root)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.service)
def test_each_page_has_the_calls_and_every_refusal_with_its_remedy(sandbox: Sandbox, document: Document) -> None:
    for operation in document.operations[:: size(SAMPLE, 1)]:
        for language, root in ROOTS.items():
            page = html.unescape(sandbox.http.get(f"{root}/{document.service}/{operation.key}").raise_for_status().text)
            assert f"{sandbox.url}{document.prefix}/" in page
            assert f"balcao.{document.service}.{operation.key}(" in page
            codes = [code for refusal in operation.refusals for code in refusal.codes]
            assert page.count("<dt id=") == len(codes)
            remedy = {"pt-BR": "Solução:", "en": "Remedy:"}[language]
            assert page.count(remedy) == len(codes), (operation.key, codes)
            assert "built-in" not in page  # Jinja renders a dict method as `<built-in method`
            assert len(page.encode()) < 150_000


def test_a_page_shows_the_members_of_body_and_response_with_types_and_examples(sandbox: Sandbox) -> None:
    page = html.unescape(sandbox.http.get(f"{ROOTS['en']}/registry/change_preferences").raise_for_status().text)
    body, response = page.split('id="body"')[1].split('id="examples"')[0], page.split('id="response"')[1]
    rows = [re.findall(r"<code>([^<]+)</code>", row) for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)]
    assert ["opt_in", "boolean", "true"] in rows
    assert any(row[:2] == ["channel", "string"] and row[-1] == '"web"' for row in rows)
    assert '"updated_at": "20' in response.split('id="errors"')[0]
    assert "Summaries and descriptions are in Portuguese" in page


def test_a_nested_member_has_its_path_and_a_choice_its_values() -> None:
    schemas = {"Address": {"type": "object", "required": ["cep"], "properties": {"cep": {"type": "string"}}}}
    schema = {
        "type": "object",
        "properties": {
            "status": {"enum": ["IN", "OUT"]},
            "places": {"type": "array", "items": {"$ref": "#/components/schemas/Address"}},
            "home": {"anyOf": [{"$ref": "#/components/schemas/Address"}, {"type": "null"}]},
        },
    }
    assert [(one.path, one.kind, one.required) for one in list_members(schema, schemas)] == [
        ("status", '"IN" or "OUT"', False),
        ("places", "array of object", False),
        ("places[].cep", "string", True),
        ("home", "object or null", False),
        ("home.cep", "string", True),
    ]


def test_a_table_that_would_be_too_long_shows_fewer_levels() -> None:
    part = {"type": "object", "properties": {f"text{number}": {"type": "string"} for number in range(40)}}
    parts = {f"part{number}": part for number in range(10)}
    assert [one.path for one in list_members({"type": "object", "properties": parts}, {})] == list(parts)
    seven = dict(list(parts.items())[:7])
    assert len(list_members({"type": "object", "properties": seven}, {})) == 7 + 7 * 40


@pytest.mark.parametrize("language", CODES)
def test_every_error_code_has_an_anchor_on_one_page(sandbox: Sandbox, language: str) -> None:
    page = sandbox.http.get(CODES[language]).raise_for_status().text
    listed = re.findall(r'<dt id="([^"]+)"', page)
    assert {"core-token-invalid", "registry-cpf-invalid", "crm-crm-away"} <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.long
def test_every_link_of_a_page_leads_to_a_page(sandbox: Sandbox) -> None:
    for root in ROOTS.values():
        path = f"{root}/registry/change_preferences"
        for link in read_links(sandbox, path):
            found = httpx.get(urljoin(f"{sandbox.url}{path}", link), timeout=PATIENCE, follow_redirects=True)
            assert found.status_code == 200, link


@pytest.mark.parametrize("below", ["/nenhum", "/registry/nenhuma", "/nenhum/read_citizen"])
def test_what_is_not_there_has_no_page(sandbox: Sandbox, below: str) -> None:
    assert sandbox.http.get(ROOTS["pt-BR"] + below).status_code == 404


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("public", "any caller, without a token"),
        ("self", "the person concerned"),
        ("action:audit:read", "a caller with the action `audit:read`"),
        (
            "self(pets:read) or scope:smf:read or client:CRM_WEBHOOK_CLIENTS",
            "the person concerned, or a caller with the action `pets:read`; or a system with the scope `smf:read`; "
            "or the clients of the setting `CRM_WEBHOOK_CLIENTS`",
        ),
    ],
)
def test_a_rule_is_said_in_words(rule: str, said: str) -> None:
    assert explain_rule(rule, "en") == said


def test_every_rule_can_be_said() -> None:
    assert all(explain_rule(one.rule, "pt-BR") for document in DOCUMENTS for one in document.operations)
