"""The pages about operations: what each takes, one call in three languages, and each refusal with its remedy."""

import json
from collections.abc import Mapping, Sequence

from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, Response
from balcao.core.service import Service
from balcao.gateway.portal.reference import Reference, find_operation, list_sections
from balcao.gateway.portal.rules import explain_rule
from balcao.gateway.portal.snippets import write_snippets
from balcao.gateway.rendering import make_environment, read_style

_STYLE = read_style("balcao.gateway.portal", "portal.css")
# They change with a release alone.
_HEADERS = {"Content-Security-Policy": allow_style(_STYLE), "Cache-Control": "public, max-age=300"}
# By language, the path of the list of all services; those of a service and of an operation stand below it.
ROOTS = {"pt-BR": "/docs/pt-BR/operacoes", "en": "/docs/en/operations"}
_OTHER = {"pt-BR": "en", "en": "pt-BR"}


class OperationPages:
    """Renders the lists of operations, and the page of each; `address` is that of the platform in the examples."""

    def __init__(self, services: Sequence[Service], titles: Mapping[str, str], address: str) -> None:
        self._services = services
        self._reference = Reference(services)
        self._address = address
        self._environment = make_environment("balcao.gateway.portal")
        self._environment.filters["as_json"] = _format_json
        self._environment.globals.update(style=_STYLE, titles=titles)

    def render_services(self, language: str) -> Response[str]:
        """Return the list of services, each with the number of its operations."""
        counts = {service.name: self._reference.count(service.name) for service in self._services}
        return self._render("operation_services.html", language, "", services=self._services, counts=counts)

    async def render_service(self, language: str, service: str) -> Response[str]:
        """Return the list of a service's operations. Raises NotFound."""
        document = await self._reference.read(service)
        sections = list(list_sections(document))
        return self._render("operation_list.html", language, f"/{service}", document=document, sections=sections)

    async def render_operation(self, language: str, service: str, key: str) -> Response[str]:
        """Return the page of an operation. Raises NotFound."""
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
            snippets=write_snippets(document, operation, self._address),
            rule=explain_rule(operation.rule, language),
            explanations=explanations,
        )

    def _render(self, template: str, language: str, below: str, **shown: object) -> Response[str]:
        body = self._environment.get_template(template).render(
            lang=language, root=ROOTS[language], other=ROOTS[_OTHER[language]] + below, **shown
        )
        return Response(body.encode(), media_type=HTML, headers=_HEADERS)


def _format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
