"""Every write that declares `If-Match` is refused if the tag is stale, and then stores nothing."""

import asyncio
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.core.errors import PreconditionFailed
from balcao.core.http.operations import Operation
from balcao.core.service import Service
from balcao.core.values.etags import require_match
from tests.contract.test_examples import send
from tests.support.database_dump import TABLES, as_text
from tests.support.descriptions import read_description
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.long

# Tables that may change although a call is refused: audit events, refusals, counts, jobs, and the copy of the
# registry's departments.
BESIDE = ("platform.", "pgqueuer", "public.", "employability.department")
# Writes to resources that are not in the demo data. For each, the operation that creates the resource and the name of
# the path parameter for its id. If the name is None, the path's example is the id.
MADE_BY = {
    "registry.change_vehicle": ("registry.register_vehicle", "vehicle_id"),
    "registry.remove_vehicle": ("registry.register_vehicle", "vehicle_id"),
    "registry.replace_pet": ("registry.create_pet", "pet_id"),
    "registry.delete_pet": ("registry.create_pet", "pet_id"),
    "employability.withdraw_application": ("employability.submit_application", "id"),
    "search.remove_synonyms": ("search.put_synonyms", "id"),
    "search.change_proposal": ("search.create_proposal", "proposal_id"),
    "search.withdraw_proposal": ("search.create_proposal", "proposal_id"),
    "search.publish_proposal": ("search.create_proposal", "proposal_id"),
    "search.send_back_proposal": ("search.create_proposal", "proposal_id"),
    "health_units.change_notification": ("health_units.open_notification", "id"),
    "health_units.close_notification": ("health_units.open_notification", "id"),
    "health_units.delete_exception": ("health_units.put_exception", None),
    "health_units.delete_holiday": ("health_units.put_holiday", None),
}
# Callers of operations that only the owner may call.
WHO = {"employability.withdraw_application": "90000000760"}
# This operation needs a code sent by SMS, so it is left out here. Its own tests send a stale tag.
WITHOUT_CODE = "registry.confirm_phone"
STALE = ('"stale"', 'W/"stale"', '"a", "b"')


def writes() -> Iterator[tuple[Service, Operation]]:
    """Yield the operations whose description has `If-Match`."""
    for service in app.SERVICES:
        paths = read_description(service)["paths"]
        for operation in service.operations():
            if operation.in_description and operation.method != "GET":
                described = paths[operation.path][operation.method.lower()]
                if any(each["name"] == "If-Match" for each in described.get("parameters", ())):
                    yield service, operation


def test_a_stale_tag_is_refused_by_every_write_that_takes_one_and_nothing_is_stored(independent: Sandbox) -> None:
    made = dict(make(independent))
    before = asyncio.run(read_everything(independent.database_url))
    wrong = []
    for service, operation in writes():
        for tag in STALE if operation.key != WITHOUT_CODE else ():
            answer = send(
                independent, service, operation, {"If-Match": tag}, made.get(operation.key), WHO.get(operation.key)
            )
            if refusal(answer) != (412, "precondition-failed"):
                wrong.append(f"{operation.key}, {tag}: {answer.status_code} {answer.text[:200]}")
    after = asyncio.run(read_everything(independent.database_url))
    assert "\n".join(wrong) == ""
    assert {name for name in after if after[name] != before[name]} == set()


def test_a_weak_tag_names_no_state_that_may_be_written_over() -> None:
    """`If-Match` uses the strong comparison (RFC 9110, 13.1.1)."""
    with pytest.raises(PreconditionFailed):
        require_match('"b", W/"a"', '"a"')
    for header in (None, "*", '"a"', '"b", "a"', 'W/"a","a"'):
        require_match(header, '"a"')


def make(sandbox: Sandbox) -> Iterator[tuple[str, dict[str, str]]]:
    """Create each missing resource once, and yield the path values for each operation on it."""
    operations = {operation.key: (service, operation) for service in app.SERVICES for operation in service.operations()}
    ids: dict[str, str] = {}
    for key, (maker, name) in MADE_BY.items():
        if maker not in ids:
            answer = send(sandbox, *operations[maker])
            assert answer.is_success, answer.text
            body = answer.json()
            ids[maker] = str(body.get("id") or body.get("id_animal", ""))
        place = {"cnes": sandbox.examples["cnes_quiet"]} if maker == "health_units.open_notification" else {}
        yield key, place | ({} if name is None else {name: ids[maker]})


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.headers.get("Error-Code", "")


async def read_everything(url: str) -> dict[str, list[str]]:
    """Return all rows of the services' tables."""
    connection: Any = await asyncpg.connect(url)
    try:
        names = [row["name"] for row in await connection.fetch(TABLES)]
        kept = [name for name in names if not name.startswith(BESIDE)]
        return {
            name: sorted(as_text(row.values()) for row in await connection.fetch(f"SELECT * FROM {name}"))
            for name in kept
        }
    finally:
        await connection.close()
