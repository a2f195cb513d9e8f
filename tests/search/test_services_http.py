"""Services over HTTP, for each kind of caller (rules: search 2.2)."""

import json
import time
from typing import Any
from uuid import uuid4

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from tests.search.staff import EDITOR, Ask, Staff, with_required
from tests.search.support import REQUIRED, make_button, refusal
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

SERVICES = "/search/api/v1/admin/services"
CITIZEN = ANA


@pytest.mark.cases("search", "13")
def test_a_new_service_is_answered_whole_with_its_address_and_tag(ask: Ask) -> None:
    answer = ask("POST", json=with_required())
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"services/{made['id']}"
    assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('"v1"', "no-store")
    assert (made["version"], made["status"], made["autor"]) == (1, 0, "Pessoa de Teste")
    assert made["slug"].endswith(made["id"][:8])
    assert ask("GET", f"/{made['id']}").json() == made


@pytest.mark.cases("search", "16")
def test_a_body_is_json_whatever_it_is_called(ask: Ask) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert ask("POST", content=json.dumps(with_required()), headers=headers).status_code == 201


@pytest.mark.cases("search", "15")
def test_a_body_over_the_limit_is_refused(ask: Ask, service: dict[str, Any]) -> None:
    large = with_required(descricao_completa="x" * 600 * 1024)
    assert refusal(ask("POST", json=large)) == (413, "too-large")
    assert refusal(ask("PUT", f"/{service['id']}", json=large)) == (413, "too-large")


@pytest.mark.cases("search", "14", "17")
@pytest.mark.parametrize(
    ("members", "named", "code"),
    [
        *(({member: value}, member, code) for member, value, code in read_values("search", "14, 17")),
        ({"agents": {"tool_hint": "<style>"}}, "agents.tool_hint", "agents.tool_hint-active"),
        ({"extra_fields": {"a": "x" * 33_000}}, "extra_fields", "extra_fields-size"),
        ({"buttons": [make_button(url_service="javascript:alert(1)")]}, "buttons[0].url_service", "url-invalid"),
        ({"buttons": [make_button(url_service="/relativo")]}, "buttons[0].url_service", "url-invalid"),
        ({"buttons": [make_button(titulo="")]}, "buttons[0].titulo", "buttons[0].titulo-length"),
        ({"buttons": [make_button()] * 21}, "buttons", "buttons-count"),
    ],
)
def test_what_breaks_a_limit_is_refused_by_its_name(ask: Ask, members: dict[str, Any], named: str, code: str) -> None:
    answer = ask("POST", json=with_required(**members))
    assert refusal(answer) == (400, code)
    assert f"`{named}`" in answer.json()["error"]


def test_a_name_whose_addresses_are_all_another_services_is_refused(
    ask: Ask, staff: Staff, service: dict[str, Any], sql: Sql
) -> None:
    other = staff.create()
    sql(
        "INSERT INTO search.service_slugs (slug, service_id, current)"
        " SELECT search.slug_of('Nome tomado', $1, length), $2, false FROM unnest(ARRAY[8, 13, 36]) AS length",
        service["id"],
        other["id"],
    )
    renamed = with_required(nome_servico="Nome tomado")
    assert refusal(ask("PUT", f"/{service['id']}", json=renamed)) == (409, "slug-taken")
    assert ask("GET", f"/{service['id']}").json() == service


def test_html_long_texts_and_emoji_come_back_as_they_were_sent(ask: Ask) -> None:
    text = ("Traga <b>RG</b> & CPF 👩🏽‍🌾 — *já*. " * 1000)[:20_000].strip()
    made = ask("POST", json=with_required(descricao_completa=text, nome_servico="Poda 🌳 <i>já</i>")).json()
    assert made["descricao_completa"] == text
    assert "<b>" not in made["descricao_completa_plaintext"]
    assert made["slug"] == f"poda-i-ja-i-{made['id'][:8]}"
    too_long = with_required(descricao_completa="x" * 20_001)
    assert refusal(ask("POST", json=too_long)) == (400, "descricao_completa-length")


@pytest.mark.cases("search", "22")
@pytest.mark.parametrize("unknown", ["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11", "x", "1", "%00"])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PUT", "", REQUIRED),
        ("DELETE", "", None),
        ("PATCH", "/publish", None),
        ("PATCH", "/unpublish", None),
        ("POST", "/rollback", {"to_version": 1}),
        ("GET", "/versions", None),
        ("GET", "/versions/1", None),
    ],
)
def test_an_unknown_service_is_a_404(ask: Ask, method: str, path: str, body: Any, unknown: str) -> None:
    answer = ask(method, f"/{unknown}{path}", json=body)
    assert (*refusal(answer), list(answer.json())) == (404, "not-found", ["error"])


OPERATIONS = [
    ("GET", ""),
    ("POST", ""),
    ("GET", "/{id}"),
    ("PUT", "/{id}"),
    ("DELETE", "/{id}"),
    ("PATCH", "/{id}/publish"),
    ("PATCH", "/{id}/unpublish"),
    ("GET", "/{id}/versions"),
    ("GET", "/{id}/versions/1"),
    ("POST", "/{id}/rollback"),
]
EDITORS = {("GET", ""), ("POST", ""), ("GET", "/{id}"), ("PUT", "/{id}"), ("GET", "/{id}/versions")}
EDITORS |= {("GET", "/{id}/versions/1")}


@pytest.mark.cases("search", "10")
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_nobody_passes_without_a_valid_token(
    http: httpx.Client, issuer: Issuer, service: dict[str, Any], method: str, path: str
) -> None:
    address = SERVICES + path.format(id=service["id"])
    claims = {"iss": issuer.address, "aud": "account", "sub": "x", "exp": int(time.time()) + 300}
    with_text = jwt.encode({"alg": "HS256", "kid": issuer.keys[-1].kid}, claims, OctKey.import_key("k" * 32))
    refused = [issuer.admin(exp=1), issuer.admin(aud="outro"), with_text, "x.y.z"]
    tokens = [{}, *(bearer(token) for token in refused)]
    answers = [http.request(method, address, headers=headers, json={}) for headers in tokens]
    assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}


@pytest.mark.cases("search", "11")
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_citizens_machines_and_logins_are_refused_alike(
    http: httpx.Client, issuer: Issuer, service: dict[str, Any], method: str, path: str
) -> None:
    tokens = [issuer.person(CITIZEN), issuer.machine("painel-saude", "busca:search"), issuer.login()]
    answers = [
        http.request(method, SERVICES + path.format(id=known), headers=bearer(token), json={})
        for token in tokens
        for known in (service["id"], uuid4())
    ]
    assert {(answer.status_code, answer.text) for answer in answers} == {(403, answers[0].text)}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_editors_do_what_their_role_says(ask: Ask, service: dict[str, Any], method: str, path: str) -> None:
    body = {"json": REQUIRED} if method in {"POST", "PUT"} else {}
    answer = ask(method, path.format(id=service["id"]), role=EDITOR, **body)
    assert (answer.status_code == 403) == ((method, path) not in EDITORS), answer.text


@pytest.mark.cases("search", "12")
def test_an_editor_never_touches_what_is_published(ask: Ask, service: dict[str, Any]) -> None:
    editor = {"role": EDITOR}
    path = f"/{service['id']}"
    body = with_required(nome_servico=service["nome_servico"])
    assert ask("POST", json=body | {"status": 1}, **editor).status_code == 403
    assert ask("PUT", path, json=body | {"status": 1}, **editor).status_code == 403
    assert ask("PATCH", f"{path}/publish", **editor).status_code == 403
    assert ask("GET", path).json() == service
    published = ask("PATCH", f"{path}/publish").json()
    assert ask("PUT", path, json=body | {"resumo": "outro"}, **editor).status_code == 403
    assert ask("GET", path).json() == published


@pytest.mark.cases("search", "24")
def test_a_stale_tag_changes_nothing(ask: Ask, service: dict[str, Any]) -> None:
    path, body = f"/{service['id']}", with_required(nome_servico=service["nome_servico"])
    first = ask("PUT", path, json=body | {"resumo": "um"}, headers={"If-Match": '"v1"'})
    assert (first.status_code, first.headers["ETag"]) == (200, '"v2"')
    for method, further, content in (
        ("PUT", "", {"json": body | {"resumo": "dois"}}),
        ("DELETE", "", {}),
        ("POST", "/rollback", {"json": {"to_version": 1}}),
    ):
        stale = ask(method, path + further, headers={"If-Match": '"v1"'}, **content)
        assert refusal(stale) == (412, "precondition-failed")
    assert ask("GET", path).json() == first.json()


@pytest.mark.cases("search", "26")
def test_publishing_again_leaves_one_version(ask: Ask, service: dict[str, Any]) -> None:
    path = f"/{service['id']}"
    first, again = ask("PATCH", f"{path}/publish"), ask("PATCH", f"{path}/publish")
    assert (first.status_code, again.status_code, first.json()) == (200, 200, again.json())
    assert [v["change_type"] for v in ask("GET", f"{path}/versions").json()["versions"]] == ["publish", "create"]
    back = ask("PATCH", f"{path}/unpublish").json()
    assert (back["status"], back["awaiting_approval"]) == (0, True)
    assert ask("PATCH", f"{path}/unpublish").json() == back


@pytest.mark.cases("search", "29", "30", "33")
def test_a_deleted_service_is_gone_and_comes_back_by_a_rollback(ask: Ask, service: dict[str, Any]) -> None:
    path = f"/{service['id']}"
    deleted = ask("DELETE", path)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert "Content-Type" not in deleted.headers
    assert ask("DELETE", path).status_code == ask("GET", path).status_code == 404
    assert ask("GET", params={"field": "id", "value": service["id"]}).json()["services"] == []
    back = ask("POST", f"{path}/rollback", json={"to_version": 1}).json()
    assert (back["id"], back["slug"], back["status"], back["version"]) == (service["id"], service["slug"], 0, 3)


@pytest.mark.cases("search", "31")
def test_a_rollback_is_readable_at_the_top_and_in_service(ask: Ask, service: dict[str, Any]) -> None:
    path = f"/{service['id']}"
    ask("PUT", path, json=with_required(nome_servico=service["nome_servico"], resumo="outro"))
    refused = ask("POST", f"{path}/rollback", json={"to_version": 1, "change_reason": "ligue 21 99876-5432"})
    assert refusal(refused) == (400, "change_reason-personal")
    body = ask("POST", f"{path}/rollback", json={"to_version": 1, "change_reason": "engano"}).json()
    assert (body["rolled_back_to"], body["previous_version"], body["version"]) == (1, 2, 3)
    assert body["message"]
    assert body["service"] == {name: body[name] for name in body["service"]} == ask("GET", path).json()
    assert body["resumo"] == service["resumo"]


@pytest.mark.cases("search", "32")
@pytest.mark.parametrize(("version", "status", "code"), read_values("search", "32"))
def test_a_rollback_names_an_older_version(
    ask: Ask, service: dict[str, Any], version: Any, status: int, code: str
) -> None:
    body = {} if version is ... else {"to_version": version}
    assert refusal(ask("POST", f"/{service['id']}/rollback", json=body)) == (status, code)


def test_versions_are_listed_and_read_with_what_changed(ask: Ask, service: dict[str, Any]) -> None:
    path = f"/{service['id']}"
    body = with_required(nome_servico=service["nome_servico"], resumo="outro", is_free=True)
    ask("PUT", path, json=body)
    found = ask("GET", f"{path}/versions").json()
    assert (found["found"], found["out_of"], found["page"], found["per_page"]) == (2, 2, 1, 10)
    newest, first = found["versions"]
    assert (newest["version_number"], newest["previous_version"]) == (2, 1)
    assert newest["changed_fields"] == ["resumo", "is_free"]
    assert {"nome_servico", "status", "autor", "resumo"} <= set(first["changed_fields"])
    assert (newest["created_by"], newest["created_by_cpf"]) == ("Pessoa de Teste", "***.000.202-**")
    assert not {"snapshot", "resumo"} & set(newest)
    one = ask("GET", f"{path}/versions/2").json()
    assert {name: one[name] for name in newest} == newest
    assert (one["resumo"], one["slug"], one["is_free"]) == ("outro", service["slug"], True)
    assert [v["version_number"] for v in ask("GET", f"{path}/versions?page=2&per_page=1").json()["versions"]] == [1]
    assert ask("GET", f"{path}/versions?page=9").json()["versions"] == []


@pytest.mark.parametrize("version", ["0", "x", "1.0", "9" * 11])
def test_a_version_that_is_none(ask: Ask, service: dict[str, Any], version: str) -> None:
    assert refusal(ask("GET", f"/{service['id']}/versions/{version}")) == (400, "version-invalid")
    assert refusal(ask("GET", f"/{service['id']}/versions/3")) == (404, "version-unknown")


def test_a_repeated_click_makes_one_service(ask: Ask) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    first, again = (ask("POST", json=with_required(), headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers["Location"] == f"services/{first.json()['id']}"
    other = ask("POST", json=with_required(resumo="Outro."), headers=headers)
    assert refusal(other) == (409, "idempotency-key-reused")


def test_a_repeated_click_publishes_only_for_who_still_may(ask: Ask) -> None:
    headers = {"Idempotency-Key": str(uuid4())}
    assert ask("POST", json=with_required(status=1), headers=headers).status_code == 201
    assert refusal(ask("POST", json=with_required(status=1), headers=headers, role=EDITOR)) == (403, "forbidden")


def test_a_send_back_says_why_in_the_history_alone(ask: Ask) -> None:
    made = ask("POST", json=with_required(awaiting_approval=True)).json()
    sent = with_required(awaiting_approval=False, change_reason="Falta o horário.")
    answer = ask("PUT", f"/{made['id']}", json=sent)
    assert "change_reason" not in answer.json()
    newest = ask("GET", f"/{made['id']}/versions", role=EDITOR).json()["versions"][0]
    assert (newest["change_reason"], newest["awaiting_approval"]) == ("Falta o horário.", False)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("Oi", "change_reason-length"),
        ("x" * 501, "change_reason-length"),
        ("A pedido de ana@exemplo.com", "change_reason-personal"),
    ],
)
def test_a_reason_is_short_and_names_nobody(ask: Ask, service: dict[str, Any], reason: str, code: str) -> None:
    body = with_required(resumo="Outro.", change_reason=reason)
    assert refusal(ask("PUT", f"/{service['id']}", json=body)) == (400, code)
    assert ask("GET", f"/{service['id']}").json()["version"] == 1


MARKS = '<form action="https://x.example">Ligue <b>1746</b></form> [x](https://portal@x.example) '
DIRTY = """jsonb_set({0}, '{{resumo}}', to_jsonb($1::text))
    || '{{"buttons": [{{"titulo": "Ir", "url_service": "https://a@x.example"}}]}}'"""


def test_stored_markup_is_cleaned_wherever_it_is_read(ask: Ask, staff: Staff, http: httpx.Client, sql: Sql) -> None:
    """An older version of the program may have stored such texts. Only reads clean them."""
    service = staff.publish()
    assert ask("PUT", f"/{service['id']}", json={**service, "custo_servico": "R$ 10"}).status_code == 200
    proposal = staff("POST", f"/services/{service['id']}/proposals", json=with_required(custo_servico="Grátis"))
    [[table]] = sql("SELECT physical FROM search.search_collection")
    for name, column, key in [
        (table, "doc", "id"),
        ("service_versions", "snapshot", "service_id"),
        ("service_proposals", "content", "service_id"),
    ]:
        sql(f"UPDATE search.{name} SET {column} = {DIRTY.format(column)} WHERE {key} = $2", MARKS, service["id"])
    base, public = f"/{service['id']}", "/search/api/v1"
    answers = [
        ask("GET", base),
        ask("GET", params={"per_page": 100}),
        ask("GET", f"{base}/versions/1"),
        ask("GET", f"{base}/proposals/{proposal.json()['id']}"),
        ask("GET", f"{base}/versions/compare", params={"from_version": 1, "to_version": 2}),
        http.get(f"{public}/search/{service['id']}"),
        http.get(f"{public}/services/{service['slug']}"),
        http.get(f"{public}/search", params={"q": service["nome_servico"], "per_page": 50}),
        http.get("/search/api/v2/search", params={"q": service["nome_servico"], "per_page": 50}),
        ask("PATCH", f"{base}/unpublish"),
    ]
    for answer in answers:
        assert answer.status_code == 200, answer.text
        assert "<form" not in answer.text, answer.url
        assert "@x.example" not in answer.text, answer.url
    assert "Ligue <b>1746</b>" in answers[0].json()["resumo"]
    assert answers[0].json()["buttons"][0]["is_enabled"] is False
