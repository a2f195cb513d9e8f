"""The pages for operations and error codes.

The page for an operation shows its parameters and response, one call in three languages, and each error with its
remedy.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from balcao.core.http.error_codes import Explanation, catalogue
from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, Response
from balcao.core.service import Service
from balcao.developer_portal.descriptions import Document, Operation
from balcao.developer_portal.members import list_members, name_kind
from balcao.developer_portal.reference import Reference, Section, find_operation, list_sections
from balcao.developer_portal.rules import explain_rule
from balcao.developer_portal.snippets import write_snippets
from balcao.web.templating import allow_script, make_environment, read_script, read_style

_STYLE = read_style("balcao.developer_portal", "portal.css")
_SCRIPT = read_script("balcao.developer_portal", "copy.js")
# The pages change only with a release, so they can be cached.
_HEADERS = {
    "Content-Security-Policy": f"{allow_style(_STYLE)}; {allow_script(_SCRIPT)}",
    "Cache-Control": "public, max-age=300",
}
# The path of the list of all services, by language. The pages of services and operations are under this path.
ROOTS = {"pt-BR": "/docs/pt-BR/operacoes", "en": "/docs/en/operations"}
CODES = {"pt-BR": "/docs/pt-BR/codigos", "en": "/docs/en/error-codes"}
_OTHER = {"pt-BR": "en", "en": "pt-BR"}
# Packages whose error codes are shared by all services. The key is the section name on the page of error codes.
_SHARED_PACKAGES = {"core": "balcao.core", "crm": "balcao.crm"}


class CodeArea(NamedTuple):
    """The error codes of one service, or of a package that all services share."""

    name: str
    codes: Mapping[str, Explanation]


class OperationPages:
    """The renderer of the operation pages. `address` is the platform's address in the examples."""

    def __init__(self, services: Sequence[Service], titles: Mapping[str, str], address: str) -> None:
        self._services = services
        self._reference = Reference(services)
        self._address = address
        self._environment = make_environment("balcao.developer_portal")
        self._environment.filters.update(as_json=_format_json, anchor=name_anchor)
        self._environment.globals.update(style=_STYLE, script=_SCRIPT, titles=titles)
        self.render_codes = functools.cache(self._render_codes)

    def render_services(self, language: str) -> Response[str]:
        """Return the list of services, each with its number of operations."""
        counts = {service.name: self._reference.count(service.name) for service in self._services}
        return self._render("operation_services.html", language, "", services=self._services, counts=counts)

    async def render_service(self, language: str, service: str) -> Response[str]:
        """Return the list of a service's operations. Raises NotFound for an unknown service."""
        document = await self._reference.read(service)
        sections = list(list_sections(document))
        return self._render("operation_list.html", language, f"/{service}", document=document, sections=sections)

    async def render_operation(self, language: str, service: str, key: str) -> Response[str]:
        """Return the page of an operation. Raises NotFound for an unknown service or operation."""
        document = await self._reference.read(service)
        operation = find_operation(document, key)
        explanations = {
            code: self._reference.explain(service, code) for refusal in operation.refusals for code in refusal.codes
        }
        return self._render(
            "operation.html",
            language,
            f"/{service}/{key}",
            document=document,
            operation=operation,
            neighbours=_find_section(document, operation),
            list_members=functools.partial(list_members, schemas=document.schemas),
            name_kind=functools.partial(name_kind, schemas=document.schemas),
            snippets=write_snippets(document, operation, self._address),
            rule=explain_rule(operation.rule, language),
            explanations=explanations,
        )

    def _render_codes(self, language: str) -> Response[str]:
        """Return the page of all error codes."""
        other = CODES[_OTHER[language]]
        return self._respond("error_codes.html", language, other, areas=list_code_areas(self._services))

    def _render(self, template: str, language: str, below: str, **shown: object) -> Response[str]:
        return self._respond(template, language, ROOTS[_OTHER[language]] + below, **shown)

    def _respond(self, template: str, language: str, other: str, **shown: object) -> Response[str]:
        body = self._environment.get_template(template).render(
            lang=language, root=ROOTS[language], codes_at=CODES[language], other=other, **shown
        )
        return Response(body.encode(), media_type=HTML, headers=_HEADERS)


def list_code_areas(services: Sequence[Service]) -> list[CodeArea]:
    """Return the error codes by package: the shared packages first, then the services that this process serves."""
    packages = {**_SHARED_PACKAGES, **{service.name: service.package for service in services}}
    found = (CodeArea(name, catalogue(package)) for name, package in packages.items())
    return [area for area in found if area.codes]


def name_anchor(code: str) -> str:
    """Return the anchor of an error code: `field-length` for `<field>-length`."""
    return code.replace("<", "").replace(">", "")


def _find_section(document: Document, operation: Operation) -> Section:
    """Return the section that contains the operation."""
    return next(section for section in list_sections(document) if operation in section.operations)


def _format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
