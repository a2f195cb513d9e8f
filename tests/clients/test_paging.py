"""A page with fewer items than requested is the last one, as our clients and the guide assume."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.http.operations import Operation
from balcao.core.service import Service
from balcao.developer_portal.descriptions import Operation as DescribedOperation
from balcao.developer_portal.descriptions import Paging
from balcao.developer_portal.snippets import find_values
from clients.generator.documents import read_documents
from tests.clients.examples import token_for
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.long


def list_paged(service: Service) -> Iterator[tuple[Operation, DescribedOperation]]:
    """Yield the service's paged operations, each as declared and as described."""
    (document,) = (one for one in read_documents() if one.service == service.name)
    declared = {one.key: one for one in service.operations()}
    for own in document.operations:
        if own.paging is not None:
            yield declared[f"{service.name}.{own.key}"], own


@pytest.mark.parametrize("name", ["registry", "employability", "search", "access", "health_units"])
def test_after_a_page_that_is_not_full_nothing_comes(sandbox: Sandbox, name: str) -> None:
    (service,) = app.choose_services([name])
    for operation, own in list_paged(service):
        values, path = find_values(name, own), own.path
        for parameter, value in zip(own.path_parameters, values.path, strict=True):
            path = path.replace(f"{{{parameter.name}}}", str(value))
        headers = {"Authorization": f"Bearer {token_for(sandbox, operation)}", "X-Access-Reason": "Exemplo"}
        with httpx.Client(base_url=sandbox.url + service.prefix + service.base, headers=headers) as http:
            check_listing(http, path, values.query, own.paging)


def check_listing(http: httpx.Client, path: str, query: Mapping[str, Any], paging: Paging | None) -> None:
    """With several page sizes, read until the first page that is not full. The page after it must be empty."""
    assert paging is not None
    for size in (1, 2, 3):
        place, step = paging.first, size if paging.by_item else 1
        while len(found := read(http, path, query, paging, place, size)) == size and place < 5 * step:
            place += step
        assert len(found) == size or read(http, path, query, paging, place + step, size) == [], path


def read(
    http: httpx.Client, path: str, query: Mapping[str, Any], paging: Paging, place: int, size: int
) -> Sequence[Any]:
    """Return the items on a page."""
    answer = http.get(path, params={**query, paging.place.name: place, paging.size.name: size})
    assert answer.status_code == 200, (path, answer.text)
    found = answer.json() if paging.member is None else answer.json()[paging.member]
    return found or []
