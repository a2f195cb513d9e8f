"""The operations of the services that a process serves, as their own OpenAPI documents describe them."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from balcao.core.errors import NotFound
from balcao.core.http.error_codes import Explanation, Explanations
from balcao.core.http.pages import document
from balcao.core.service import Service
from balcao.gateway.portal.descriptions import Document, Operation, read_document


@dataclass(frozen=True)
class Section:
    """The operations of one subject of a service, which `description` names."""

    description: str
    operations: Sequence[Operation]


class Reference:
    """The documents, each read when one of its operations is first asked for."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._services: Mapping[str, Service] = {service.name: service for service in services}
        self._explanations = Explanations({service.name: service.package for service in services})
        self._read = functools.cache(self._read_document)

    def count(self, service: str) -> int:
        """Return how many operations a service has, without reading its document."""
        return sum(operation.in_description for operation in self._services[service].operations())

    def read(self, service: str) -> Document:
        """Return what is known of a service. Raises NotFound for one that this process does not serve."""
        if service not in self._services:
            raise NotFound()
        return self._read(service)

    def find(self, service: str, key: str) -> Operation:
        """Return an operation. Raises NotFound."""
        found = next((each for each in self.read(service).operations if each.key == key), None)
        if found is None:
            raise NotFound()
        return found

    def list_sections(self, service: str) -> Iterator[Section]:
        """Yield the operations by subject, in the order of the service."""
        tags = self.read(service).tags
        places = {name: place for place, name in enumerate(tags)}
        by_tag = sorted(self.read(service).operations, key=lambda one: (places.get(one.tag, len(places)), one.path))
        for tag, operations in groupby(by_tag, key=lambda one: one.tag):
            yield Section(tags.get(tag, ""), list(operations))

    def explain(self, service: str, code: str) -> Explanation | None:
        """Return what is said of a code where this service answers with it."""
        return self._explanations.find(service, code)

    def _read_document(self, service: str) -> Document:
        return read_document(service, msgspec.json.decode(document(self._services[service])))
