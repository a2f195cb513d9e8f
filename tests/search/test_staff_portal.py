"""A working day in the staff portal: the calls that its pages make, in order (rules: search 2.2-2.5, 4.1, 4.2)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx

from tests.search.freshness import Freshness
from tests.search.staff import EDITOR, Staff, with_required
from tests.support.fixture_types import Sql

# The members that the portal's form never sends.
UNSENT = ("sub_categoria", "agents", "extra_fields", "published_at", "is_free")


def form_of(service: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the body that the form sends: the record as read, without the members in UNSENT.

    It includes the derived members.
    """
    return {name: value for name, value in service.items() if name not in UNSENT} | changes


def test_a_service_goes_from_its_first_draft_to_the_citizen_and_back(
    staff: Staff, http: httpx.Client, freshness: Freshness, sql: Sql
) -> None:
    mark = uuid4().hex
    organ, name = f"Secretaria {mark}", f"Poda {mark}"
    body = with_required(
        nome_servico=name,
        orgao_gestor=[organ],
        sub_categoria="Áreas verdes",
        agents={"tool_hint": "poda"},
        is_free=True,
        extra_fields={"codigo": 7},
        documentos_necessarios=["CPF"],
    )
    draft = staff("POST", "/services", role=EDITOR, json=body).json()
    path = f"/services/{draft['id']}"

    # An editor lists the drafts and opens one.
    in_edition = {"status": "0", "awaiting_approval": "false", "field": "orgao_gestor", "value": organ}
    assert [one["id"] for one in staff("GET", "/services", role=EDITOR, params=in_edition).json()["services"]] == [
        draft["id"]
    ]
    opened = {"field": "id", "value": draft["id"], "per_page": 1}
    [service] = staff("GET", "/services", role=EDITOR, params=opened).json()["services"]
    assert service == draft

    # Saving sends the record without some of its members, and without the lists that the editor emptied.
    text = ("Traga <b>RG</b> & CPF 👩🏽‍🌾 — *já*. " * 1000)[:19_980].strip() + " quebra-galhos"
    changed = form_of(service, resumo="Pede a **poda**.", descricao_completa=text)
    del changed["documentos_necessarios"]
    saved = staff("PUT", path, role=EDITOR, json=changed).json()
    assert {member: saved[member] for member in UNSENT} == {member: draft[member] for member in UNSENT}
    assert (saved["documentos_necessarios"], saved["resumo"], saved["version"]) == ([], "Pede a **poda**.", 2)

    # The editor asks for approval. The approver finds the service, publishes it and maps its old number.
    sent = staff("PUT", path, role=EDITOR, json=form_of(saved, awaiting_approval=True)).json()
    assert (sent["status"], sent["awaiting_approval"]) == (0, True)
    waiting = {"status": "0", "awaiting_approval": "true", "field": "nome_servico", "value": name}
    assert [one["id"] for one in staff("GET", "/services", params=waiting).json()["services"]] == [draft["id"]]
    assert staff("PATCH", f"{path}/publish", role=EDITOR).status_code == 403
    old = {"origem": "1746_v2_llm", "id_servico_antigo": mark}
    published = staff("PATCH", f"{path}/publish", params=old).json()
    assert (published["status"], published["awaiting_approval"]) == (1, False)

    # Citizens find the service by search, category, slug and old number. Highlights escape its HTML.
    freshness.wait(sql)
    [hit] = http.get("/search/api/v1/search", params={"q": f"{mark} rg"}).json()["results"]
    assert "<mark>RG</mark> &amp; CPF" in hit["highlights"]["snippet"]
    assert hit["metadata"]["descricao_completa"] == text
    found = http.get("/search/api/v1/search", params={"q": name}).json()["results"]
    assert found[0]["id"] == draft["id"]
    listed = http.get("/search/api/v1/categories", params={"filter_category": "cidade", "per_page": 100}).json()
    assert draft["id"] in [one["id"] for one in listed["filtered_category"]["services"]]
    assert http.get(f"/search/api/v1/services/{published['slug']}").json()["id"] == draft["id"]
    moved = http.get(f"/search/api/v1/services/by-legacy/1746_v2_llm/{mark}")
    assert moved.headers["Location"] == f"../../{published['slug']}"

    shelf = http.get("/search/api/v1/subcategories/areas-verdes/services", params={"category": "CIDADE"}).json()
    assert draft["id"] in [one["id"] for one in shelf["services"]]

    # Only the approver may change a published service. After a rename, the old slug still works.
    assert staff("PUT", path, role=EDITOR, json=form_of(published, resumo="x")).status_code == 403
    renamed = staff("PUT", path, json=form_of(published, nome_servico=f"{name} pela internet", status=1)).json()
    assert http.get(f"/search/api/v1/services/{published['slug']}").headers["Location"] == renamed["slug"]

    # Staff read the history, compare two versions and roll back.
    versions = staff("GET", f"{path}/versions", role=EDITOR).json()["versions"]
    assert [one["change_type"] for one in versions] == ["update", "publish", "update", "update", "create"]
    assert staff("GET", f"{path}/versions/4", role=EDITOR).json()["descricao_completa"] == text
    compared = staff("GET", f"{path}/versions/compare", role=EDITOR, params={"from_version": 4, "to_version": 5}).json()
    assert [one["field_name"] for one in compared["changes"]] == ["nome_servico"]
    back = staff("POST", f"{path}/rollback", json={"to_version": 4, "change_reason": "O nome era melhor."}).json()
    assert (back["slug"], back["status"], back["service"]["version"]) == (published["slug"], 1, 6)

    # Staff move the old number to another service, and the service is deleted.
    [mapping] = staff("GET", "/tombamentos", params={"id_servico_novo": draft["id"]}).json()["tombamentos"]
    other = staff.publish()
    moved_to = old | {"id_servico_novo": other["id"]}
    assert staff("PUT", f"/tombamentos/{mapping['id']}", json=moved_to).status_code == 200
    withdrawn = staff("PATCH", f"{path}/unpublish").json()
    assert (withdrawn["status"], withdrawn["awaiting_approval"]) == (0, True)
    assert http.get(f"/search/api/v1/services/{published['slug']}").status_code == 404
    assert staff("DELETE", path).status_code == 204
    freshness.wait(sql)
    left = http.get("/search/api/v1/search", params={"q": name}).json()["results"]
    assert draft["id"] not in [one["id"] for one in left]


def test_two_editors_who_give_their_services_one_name_at_once_get_an_address_each(
    staff: Staff, http: httpx.Client
) -> None:
    name = f"Feira livre {uuid4().hex}"
    with ThreadPoolExecutor(4) as editors:
        made = list(editors.map(lambda _: staff.publish(nome_servico=name), range(4)))
        renamed = list(
            editors.map(
                lambda one: staff("PUT", f"/services/{one['id']}", json=one | {"nome_servico": f"{name} nova"}).json(),
                made,
            )
        )
    assert len({one["slug"] for one in [*made, *renamed]}) == 8
    for before, after in zip(made, renamed, strict=True):
        assert http.get(f"/search/api/v1/services/{before['slug']}").headers["Location"] == after["slug"]
        assert http.get(f"/search/api/v1/services/{after['slug']}").json()["id"] == before["id"]
