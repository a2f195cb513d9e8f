"""The operations that this process serves, read from the OpenAPI documents of its services."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from balcao.core.errors import NotFound
from balcao.core.http.error_codes import Explanation, Explanations
from balcao.core.http.pages import document
from balcao.core.once import Once
from balcao.core.service import Service
from balcao.developer_portal.descriptions import Document, Operation, read_document


@dataclass(frozen=True)
class Section:
    """A service's operations on one subject. `description` names the subject."""

    description: str
    operations: Sequence[Operation]


class Reference:
    """The OpenAPI documents. A document is read when an operation of its service is first requested."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._services: Mapping[str, Service] = {service.name: service for service in services}
        self._explanations = Explanations({service.name: service.package for service in services})
        self._documents = {name: Once(functools.partial(_read_document, one)) for name, one in self._services.items()}

    def count(self, service: str) -> int:
        """Return the number of operations in a service, without reading the service's document."""
        return sum(operation.in_description for operation in self._services[service].operations())

    async def read(self, service: str) -> Document:
        """Return a service's document. Raises NotFound if this process does not serve the service."""
        if service not in self._documents:
            raise NotFound()
        return await self._documents[service].get()

    def explain(self, service: str, code: str) -> Explanation | None:
        """Return the explanation of an error code, or None if the service does not use the code."""
        return self._explanations.find(service, code)


def find_operation(document: Document, key: str) -> Operation:
    """Return an operation of a service. Raises NotFound for an unknown key."""
    found = next((each for each in document.operations if each.key == key), None)
    if found is None:
        raise NotFound()
    return found


def list_sections(document: Document) -> Iterator[Section]:
    """Yield a service's operations by subject, in the order of the tags in the document."""
    places = {name: place for place, name in enumerate(document.tags)}
    by_tag = sorted(document.operations, key=lambda one: (places.get(one.tag, len(places)), one.path))
    for tag, operations in groupby(by_tag, key=lambda one: one.tag):
        yield Section(document.tags.get(tag, ""), list(operations))


def _read_document(service: Service) -> Document:
    return read_document(service.name, msgspec.json.decode(document(service)))
