"""Public reads of published services (rules: search 2.3, 4.3)."""

from typing import Any

import httpx
import pytest

from tests.search.freshness import Freshness
from tests.search.staff import Staff, with_required
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer

BASE = "/search/api"
PRIVATE = {"autor", "version"}


def by_id(http: httpx.Client, service: dict[str, Any], **options: Any) -> httpx.Response:
    return http.get(f"{BASE}/v1/search/{service['id']}", **options)


def by_slug(http: httpx.Client, slug: str, **options: Any) -> httpx.Response:
    return http.get(f"{BASE}/v1/services/{slug}", **options)


def rename(staff: Staff, service: dict[str, Any], name: str) -> dict[str, Any]:
    answer = staff("PUT", f"/services/{service['id']}", json=with_required(nome_servico=name))
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


def test_everybody_sees_the_public_form(http: httpx.Client, staff: Staff) -> None:
    service = staff.publish(agents={"exclusive_for_agents": True})
    public = {name: value for name, value in service.items() if name not in PRIVATE} | {"autor": ""}
    answer = by_id(http, service)
    assert (answer.status_code, answer.json()) == (200, public)
    assert answer.headers["Cache-Control"] == "public, max-age=30"
    assert answer.headers["ETag"].startswith('W/"')
    assert by_slug(http, service["slug"]).json() == public
    document = http.get(f"{BASE}/v2/search/{service['id']}", params={"collection": "outra"}).json()
    assert document == {"id": service["id"], "collection": "services", "type": "service", "data": public}


def test_an_unchanged_answer_is_not_sent_again(http: httpx.Client, staff: Staff) -> None:
    service = staff.publish()
    tag = by_id(http, service).headers["ETag"]
    again = by_id(http, service, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    rename(staff, service, "Outro nome")
    assert by_id(http, service, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.cases("search", "38")
def test_a_token_is_not_looked_at(http: httpx.Client, issuer: Issuer, staff: Staff) -> None:
    service = staff.publish()
    for token in (issuer.admin(exp=1), issuer.person("90000000175"), "x"):
        assert by_id(http, service, headers=bearer(token)).status_code == 200


def paths(service: dict[str, Any]) -> list[str]:
    return [
        f"{BASE}/v1/search/{service['id']}",
        f"{BASE}/v2/search/{service['id']}",
        f"{BASE}/v1/services/{service['slug']}",
    ]


def find(http: httpx.Client, service: dict[str, Any], per_page: int) -> list[str]:
    """Search for the service. A different page size makes a new search, which is not in the response cache."""
    asked: dict[str, Any] = {"q": service["nome_servico"].split()[1], "facets": "tema_geral", "per_page": per_page}
    found = http.get(f"{BASE}/v1/search", params=asked).json()
    assert bool(found["facets"]["tema_geral"]) == bool(found["results"])
    return [hit["id"] for hit in found["results"]]


@pytest.mark.cases("search", "29", "36")
def test_drafts_and_deleted_services_are_unknown(
    http: httpx.Client, issuer: Issuer, staff: Staff, freshness: Freshness, sql: Sql
) -> None:
    draft, published = staff.create(awaiting_approval=True), staff.publish()
    former = published["slug"]
    published = rename(staff, published, f"{published['nome_servico']} mudou")
    freshness.wait(sql)
    assert find(http, published, 10) == [published["id"]]
    staff("DELETE", f"/services/{published['id']}")
    freshness.wait(sql)
    assert find(http, published, 11) == find(http, draft, 11) == []
    for path in [*paths(draft), *paths(published), f"{BASE}/v1/services/{former}"]:
        for headers in ({}, bearer(issuer.person("90000000175")), bearer(issuer.admin())):
            answer = http.get(path, headers=headers)
            assert (answer.status_code, list(answer.json())) == (404, ["error"])


@pytest.mark.parametrize("unknown", ["x", "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11", "%00", "a%27--", "á" * 300])
def test_what_does_not_exist_is_a_404(http: httpx.Client, unknown: str) -> None:
    for path in (
        "v1/search",
        "v2/search",
        "v1/services",
        "v1/services/by-legacy/1746_v2_llm",
        "v1/services/by-legacy/x",
    ):
        assert http.get(f"{BASE}/{path}/{unknown}").status_code == 404


@pytest.mark.cases("search", "34")
@pytest.mark.parametrize("prefix", ["/search", "/search/"])
def test_former_addresses_lead_straight_to_the_newest(http: httpx.Client, staff: Staff, prefix: str) -> None:
    first = staff.publish()
    second = rename(staff, first, f"{first['nome_servico']} dois")
    third = rename(staff, first, f"{first['nome_servico']} três")
    for former in (first["slug"], second["slug"]):
        answer = http.get(f"{prefix.rstrip('/')}/api/v1/services/{former}")
        assert (answer.status_code, answer.headers["Location"]) == (301, third["slug"])
        assert answer.headers["Cache-Control"] == "public, max-age=30"
        assert answer.json() == {
            "id": first["id"],
            "slug": third["slug"],
            "old_slug": former,
            "location": third["slug"],
            "nome_servico": third["nome_servico"],
            "message": answer.json()["message"],
        }
        followed = http.get(str(answer.url.join(answer.headers["Location"])))
        assert (followed.status_code, followed.json()["id"]) == (200, first["id"])


@pytest.mark.cases("search", "35")
def test_the_first_name_takes_its_address_back(http: httpx.Client, staff: Staff) -> None:
    first = staff.publish()
    second = rename(staff, first, f"{first['nome_servico']} dois")
    back = rename(staff, first, first["nome_servico"])
    assert (back["slug"], back["slug_history"]) == (first["slug"], [second["slug"]])
    assert by_slug(http, first["slug"]).status_code == 200
    assert by_slug(http, second["slug"]).headers["Location"] == first["slug"]
