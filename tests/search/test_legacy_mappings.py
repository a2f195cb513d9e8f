"""Mappings from the service numbers of old systems to services (rules: search 2.4, 4.7)."""

import asyncio
import threading
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from tests.search.staff import EDITOR, Staff
from tests.search.support import refusal
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE

SOURCE, OTHER_SOURCE = "1746_v2_llm", "carioca-digital_v2_llm"
UNKNOWN = "5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11"


def number() -> str:
    return uuid4().hex[:10]


@pytest.fixture
def service(staff: Staff) -> dict[str, Any]:
    return staff.publish()


def pair(service_id: str, **members: Any) -> dict[str, Any]:
    return {"origem": SOURCE, "id_servico_antigo": number(), "id_servico_novo": service_id} | members


@pytest.fixture
def mapping(staff: Staff, service: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = staff("POST", "/tombamentos", json=pair(service["id"])).json()
    return made


def lead(http: httpx.Client, mapping: dict[str, Any]) -> httpx.Response:
    return http.get(f"/search/api/v1/services/by-legacy/{mapping['origem']}/{mapping['id_servico_antigo']}")


def test_a_new_mapping_is_found_in_every_way(http: httpx.Client, staff: Staff, service: dict[str, Any]) -> None:
    body = pair(service["id"].upper(), observacoes="Conferido\ncom a central")
    answer = staff("POST", "/tombamentos", json=body)
    made = answer.json()
    assert (answer.status_code, answer.headers["Location"]) == (201, f"tombamentos/{made['id']}")
    assert made == body | {
        "id": made["id"],
        "id_servico_novo": service["id"],
        "criado_por": "Pessoa de Teste",
        "criado_em": made["criado_em"],
    }
    assert staff("GET", f"/tombamentos/{made['id']}").json() == made
    query = {"origem": SOURCE, "id_servico_antigo": body["id_servico_antigo"]}
    assert staff("GET", "/tombamentos/by-old-service", params=query).json() == made
    listed = staff("GET", "/tombamentos", params={"id_servico_novo": service["id"]}).json()
    assert (listed["found"], listed["tombamentos"]) == (1, [made])
    moved = lead(http, made)
    assert (moved.status_code, moved.headers["Location"]) == (301, f"../../{service['slug']}")
    assert moved.json() == {
        "id": service["id"],
        "slug": service["slug"],
        "old_slug": None,
        "location": f"../../{service['slug']}",
        "nome_servico": service["nome_servico"],
        "message": moved.json()["message"],
    }
    assert http.get(str(moved.url.join(moved.headers["Location"]))).json()["id"] == service["id"]


@pytest.mark.cases("search", "72")
def test_a_number_is_mapped_once(staff: Staff, service: dict[str, Any], mapping: dict[str, Any]) -> None:
    for target in (service["id"], staff.create()["id"]):
        body = pair(target, id_servico_antigo=mapping["id_servico_antigo"])
        answer = staff("POST", "/tombamentos", json=body)
        assert refusal(answer) == (409, "legacy-mapping-exists")
        assert answer.json() == {"error": answer.json()["error"], "tombamento_existente": mapping}
    same_number = pair(service["id"], id_servico_antigo=mapping["id_servico_antigo"], origem=OTHER_SOURCE)
    assert staff("POST", "/tombamentos", json=same_number).status_code == 201


@pytest.mark.cases("search", "72")
def test_a_mapping_moves_and_never_onto_another_pair(
    http: httpx.Client, staff: Staff, sql: Any, service: dict[str, Any], mapping: dict[str, Any]
) -> None:
    target = staff.publish()
    path = f"/tombamentos/{mapping['id']}"
    moved = staff("PUT", path, json=pair(target["id"], id_servico_antigo=mapping["id_servico_antigo"]))
    assert moved.status_code == 200
    assert moved.json() == mapping | {"id_servico_novo": target["id"]}
    assert lead(http, mapping).json()["id"] == target["id"]
    newest = "SELECT fields FROM platform.audit_event WHERE $1 = ANY (fields) ORDER BY at DESC LIMIT 1"
    fields = sql(newest, f"mapping={mapping['id']}")[0]["fields"]
    assert {f"former={service['id']}", f"service={target['id']}"} < set(fields)
    other = staff("POST", "/tombamentos", json=pair(service["id"])).json()
    taken = staff("PUT", path, json=pair(target["id"], id_servico_antigo=other["id_servico_antigo"]))
    assert (*refusal(taken), taken.json()["tombamento_existente"]) == (409, "legacy-mapping-exists", other)
    assert staff("GET", path).json() == moved.json()


def test_a_removed_mapping_leads_nowhere(http: httpx.Client, staff: Staff, mapping: dict[str, Any]) -> None:
    deleted = staff("DELETE", f"/tombamentos/{mapping['id']}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert staff("DELETE", f"/tombamentos/{mapping['id']}").status_code == 404
    assert staff("GET", f"/tombamentos/{mapping['id']}").status_code == 404
    assert lead(http, mapping).status_code == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("unknown", [UNKNOWN, "x"])
def test_an_unknown_mapping_is_a_404(staff: Staff, service: dict[str, Any], method: str, unknown: str) -> None:
    body: dict[str, Any] = {"json": pair(service["id"])} if method == "PUT" else {}
    assert staff(method, f"/tombamentos/{unknown}", **body).status_code == 404


@pytest.mark.parametrize(
    ("members", "refused"),
    [
        ({"origem": "sistema"}, (400, "origem-invalid")),
        ({"origem": None}, (400, "body-invalid")),
        ({"id_servico_antigo": ""}, (400, "id_servico_antigo-length")),
        ({"id_servico_antigo": "x" * 201}, (400, "id_servico_antigo-length")),
        ({"id_servico_novo": "x"}, (400, "id_servico_novo-invalid")),
        ({"id_servico_novo": UNKNOWN}, (404, "legacy-target-unknown")),
        ({"observacoes": "x" * 20_001}, (400, "observacoes-length")),
    ],
)
def test_what_is_no_mapping_is_refused(
    staff: Staff, service: dict[str, Any], mapping: dict[str, Any], members: dict[str, Any], refused: tuple[int, str]
) -> None:
    body = pair(service["id"]) | members
    assert refusal(staff("POST", "/tombamentos", json=body)) == refused
    assert refusal(staff("PUT", f"/tombamentos/{mapping['id']}", json=body)) == refused


@pytest.mark.parametrize(
    ("path", "query", "refused"),
    [
        ("", {"origem": "sistema"}, (400, "origem-invalid")),
        ("/by-old-service", {"origem": SOURCE}, (400, "id_servico_antigo-missing")),
        ("/by-old-service", {"id_servico_antigo": "1"}, (400, "origem-missing")),
        ("/by-old-service", {"origem": "sistema", "id_servico_antigo": "1"}, (400, "origem-invalid")),
        ("/by-old-service", {"origem": SOURCE, "id_servico_antigo": "nenhum"}, (404, "not-found")),
    ],
)
def test_a_look_up_of_what_cannot_be_is_refused(
    staff: Staff, mapping: dict[str, Any], path: str, query: dict[str, str], refused: tuple[int, str]
) -> None:
    assert refusal(staff("GET", f"/tombamentos{path}", params=query)) == refused


@pytest.mark.parametrize("query", [{"id_servico_novo": "x"}, {"criado_por": "ninguém"}])
def test_a_filter_that_nothing_passes_is_an_empty_list(
    staff: Staff, mapping: dict[str, Any], query: dict[str, str]
) -> None:
    found = staff("GET", "/tombamentos", params=query).json()
    assert (found["found"], found["tombamentos"], found["out_of"] > 0) == (0, [], True)


def test_the_list_has_pages_of_the_newest(staff: Staff, service: dict[str, Any]) -> None:
    made = [staff("POST", "/tombamentos", json=pair(service["id"])).json() for _ in range(3)]
    query = {"id_servico_novo": service["id"], "per_page": 2, "criado_por": "PESSOA de teste", "origem": SOURCE}
    pages = [staff("GET", "/tombamentos", params=query | {"page": page}).json() for page in (1, 2, 3)]
    assert [[one["id"] for one in page["tombamentos"]] for page in pages] == [
        [made[2]["id"], made[1]["id"]], [made[0]["id"]], [],
    ]  # fmt: skip
    assert {page["found"] for page in pages} == {3}


def test_editors_see_mappings_and_change_none(
    http: httpx.Client, issuer: Issuer, staff: Staff, service: dict[str, Any], mapping: dict[str, Any]
) -> None:
    calls: list[tuple[str, str, dict[str, Any], int]] = [
        ("GET", "/tombamentos", {}, 200),
        ("GET", f"/tombamentos/{mapping['id']}", {}, 200),
        ("POST", "/tombamentos", {"json": pair(service["id"])}, 403),
        ("PUT", f"/tombamentos/{mapping['id']}", {"json": pair(service["id"])}, 403),
        ("DELETE", f"/tombamentos/{mapping['id']}", {}, 403),
    ]
    for method, path, options, status in calls:
        assert staff(method, path, role=EDITOR, **options).status_code == status
        address = f"/search/api/v1/admin{path}"
        assert http.request(method, address, **options).status_code == 401
        citizen = bearer(issuer.person("90000000175"))
        assert http.request(method, address, headers=citizen, **options).status_code == 403


@pytest.mark.cases("search", "73")
def test_only_a_published_service_is_led_to(http: httpx.Client, staff: Staff, mapping: dict[str, Any]) -> None:
    staff("PATCH", f"/services/{mapping['id_servico_novo']}/unpublish")
    assert lead(http, mapping).status_code == 404
    staff("PATCH", f"/services/{mapping['id_servico_novo']}/publish")
    assert lead(http, mapping).status_code == 301


def test_the_mappings_of_a_deleted_service_go_and_do_not_come_back(
    http: httpx.Client, staff: Staff, mapping: dict[str, Any]
) -> None:
    path = f"/services/{mapping['id_servico_novo']}"
    staff("DELETE", path)
    assert staff("GET", f"/tombamentos/{mapping['id']}").status_code == 404
    assert staff("POST", f"{path}/rollback", json={"to_version": 1}).status_code == 200
    assert lead(http, mapping).status_code == 404
    deleted = staff.create()
    staff("DELETE", f"/services/{deleted['id']}")
    assert refusal(staff("POST", "/tombamentos", json=pair(deleted["id"]))) == (404, "legacy-target-unknown")


def test_a_publication_brings_its_mapping(http: httpx.Client, staff: Staff) -> None:
    draft = staff.create()
    old = {"origem": SOURCE, "id_servico_antigo": number(), "observacoes": "na publicação"}
    published = staff("PATCH", f"/services/{draft['id']}/publish", params=old)
    assert (published.status_code, published.json()["status"]) == (200, 1)
    again = staff("PATCH", f"/services/{draft['id']}/publish", params=old)
    assert (again.status_code, again.json()) == (200, published.json())
    assert lead(http, old).json()["id"] == draft["id"]
    assert staff("GET", "/tombamentos", params={"id_servico_novo": draft["id"]}).json()["found"] == 1


@pytest.mark.cases("search", "27")
@pytest.mark.parametrize(
    ("old", "code"),
    [
        ({"origem": SOURCE}, "legacy-pair-incomplete"),
        ({"id_servico_antigo": "1"}, "legacy-pair-incomplete"),
        ({"origem": "sistema", "id_servico_antigo": "1"}, "origem-invalid"),
    ],
)
def test_half_a_mapping_publishes_nothing(staff: Staff, old: dict[str, str], code: str) -> None:
    draft = staff.create()
    assert refusal(staff("PATCH", f"/services/{draft['id']}/publish", params=old)) == (400, code)
    assert staff("GET", f"/services/{draft['id']}").json() == draft


@pytest.mark.cases("search", "28")
def test_a_number_of_another_service_publishes_nothing(staff: Staff, mapping: dict[str, Any]) -> None:
    draft = staff.create()
    old = {name: mapping[name] for name in ("origem", "id_servico_antigo")}
    answer = staff("PATCH", f"/services/{draft['id']}/publish", params=old)
    assert (*refusal(answer), answer.json()["tombamento_existente"]) == (409, "legacy-mapping-exists", mapping)
    assert staff("GET", f"/services/{draft['id']}").json() == draft


def test_of_many_who_map_one_number_at_once_one_does(staff: Staff, service: dict[str, Any]) -> None:
    body, statuses = pair(service["id"]), []
    threads = [
        threading.Thread(target=lambda: statuses.append(staff("POST", "/tombamentos", json=body).status_code))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201] + [409] * 7


async def test_a_service_that_is_being_deleted_gets_no_mapping(
    staff: Staff, service: dict[str, Any], owner: asyncpg.Connection
) -> None:
    """A new mapping waits for the deletion, and then finds no service."""
    body = pair(service["id"])
    async with owner.transaction():
        await owner.execute("UPDATE search.service_head SET deleted_at = now() WHERE id = $1", service["id"])
        mapping = asyncio.create_task(asyncio.to_thread(staff, "POST", "/tombamentos", json=body))
        async with asyncio.timeout(PATIENCE):
            while not await owner.fetchval(_WAITING):
                await asyncio.sleep(0.01)
                await owner.execute("SELECT pg_stat_clear_snapshot()")
    assert refusal(await mapping) == (404, "legacy-target-unknown")


_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%tombamentos%'"
