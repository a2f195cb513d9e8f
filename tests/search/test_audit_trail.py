"""Each write by staff and each migration call leaves an audit event (rules: search 5)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import asyncpg

from tests.search.staff import Staff, with_required

EVENTS = "SELECT operation, fields FROM platform.audit_event WHERE request_id = $1"


def test_every_write_is_in_the_audit_trail(staff: Staff, sql: Callable[..., list[asyncpg.Record]]) -> None:
    mark = uuid4().hex[:8]
    written: list[str] = []

    def write(method: str, path: str, expected: str, **sent: Any) -> Any:
        answer = staff(method, path, **sent)
        assert answer.status_code < 300, answer.text
        [event] = sql(EVENTS, answer.headers["X-Request-ID"])
        assert expected in event["fields"], (path, event["fields"])
        written.append(event["operation"])
        return answer.json() if answer.content else None

    service = staff.create()
    path, of_service = f"/services/{service['id']}", f"service={service['id']}"
    body = with_required(nome_servico=service["nome_servico"])
    write("POST", "/services", "version=1", json=body)
    write("PUT", path, "version=2", json=body | {"resumo": "outro"})
    write("PATCH", f"{path}/publish", of_service)
    write("PATCH", f"{path}/unpublish", of_service)
    write("POST", f"{path}/rollback", of_service, json={"to_version": 1})
    pair = {"origem": "1746_v2_llm", "id_servico_antigo": mark, "id_servico_novo": service["id"]}
    mapping = write("POST", "/tombamentos", of_service, json=pair)
    of_mapping = f"mapping={mapping['id']}"
    write("PUT", f"/tombamentos/{mapping['id']}", of_mapping, json=pair | {"observacoes": "conferido"})
    write("DELETE", f"/tombamentos/{mapping['id']}", of_mapping)
    write("DELETE", path, of_service)
    group = str(uuid4())
    write("PUT", f"/synonyms/{group}", f"synonyms={group}", json={"terms": [f"um{mark}", f"dois{mark}"]})
    write("DELETE", f"/synonyms/{group}", f"synonyms={group}")
    write("PUT", "/categories/Cidade", "category=Cidade", json={"popularity_seed": 5000})
    write("PUT", "/search/control-queries", "control_queries=1", json={"queries": ["poda"]})
    write("POST", "/migration/start", "dry_run=v2", json={"schema_version": "v2", "dry_run": True})
    run = write("POST", "/migration/start", "schema=v2", json={"schema_version": "v2"})["migration_id"]
    write("POST", "/migration/abort", f"migration={run}")
    assert len(set(written)) == len(written) - 1  # a dry run and a start are the same operation


def test_what_changes_nothing_leaves_nothing(staff: Staff, sql: Callable[..., list[asyncpg.Record]]) -> None:
    service = staff.publish()
    path = f"/services/{service['id']}"
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("PATCH", f"{path}/publish", {}),
        ("PUT", path, {"json": service}),
        ("PUT", path, {"json": service | {"resumo": ""}}),
        ("PUT", path, {"json": service | {"resumo": "outro"}, "headers": {"If-Match": '"v9"'}}),
        ("POST", f"{path}/rollback", {"json": {"to_version": 1}}),
        ("GET", path, {}),
    ]
    for method, address, sent in calls:
        assert sql(EVENTS, staff(method, address, **sent).headers["X-Request-ID"]) == []
