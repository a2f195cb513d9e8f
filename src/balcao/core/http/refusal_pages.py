"""The page that a browser gets if its request for a page is refused.

The page is self-contained, because further requests, such as for a style sheet, could also fail or be refused.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import Dialect
from balcao.core.http.responses import HTML, JSON, NO_STORE, Response

_TITLES: Mapping[int, str] = {
    400: "O pedido não pôde ser lido",
    404: "Página não encontrada",
    405: "Isto não se abre por um endereço",
    408: "O pedido demorou demais a chegar",
    413: "O que foi enviado é grande demais",
    414: "O endereço é longo demais",
    429: "Muitos pedidos em pouco tempo",
    431: "O navegador enviou informação demais",
    503: "Não está disponível agora",
}
_ADVICE: Mapping[int, str] = {
    400: "Nada foi gravado. Confira o endereço ou comece pelo início.",
    404: "Confira o endereço ou comece pelo início.",
    405: "Volte à página em que estava ou comece pelo início.",
    408: "Nada foi gravado. Confira a conexão e tente de novo.",
    413: "Nada foi gravado. Volte ao formulário e envie menos de cada vez.",
    414: "Comece pelo início ou procure com menos palavras.",
    429: "Nada foi gravado. Aguarde alguns segundos e tente de novo.",
    431: "Apague os cookies deste endereço no navegador e tente de novo.",
    503: "O que já estava gravado continua gravado. Tente de novo em instantes.",
}
_PAGE = (
    '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<title>{title} · {site}</title><link rel="icon" href="data:,"><style>{style}</style></head>'
    "<body><main><h1>{title}</h1><p>{advice}</p>{links}</main></body></html>"
)
_PAGE_KIND = HTML.partition(";")[0]
_WEIGHT = re.compile(r";\s*q\s*=\s*([01](?:\.\d*)?)\s*(?:;|$)", re.IGNORECASE)


def wants_page(accept: str | None) -> bool:
    """Return whether the header `Accept` prefers HTML to JSON. At equal weight, the one that comes first wins."""
    kinds = [(part.partition(";")[0].strip().lower(), part) for part in (accept or "").split(",")]
    named = [(kind, _read_weight(part)) for kind, part in kinds if kind in {_PAGE_KIND, JSON}]
    kind, weight = max(named, key=lambda each: each[1], default=("", 0.0))
    return kind == _PAGE_KIND and weight > 0


def _read_weight(part: str) -> float:
    found = _WEIGHT.search(part)
    return float(found[1]) if found else 1.0


def allow_style(style: str) -> str:
    """Return the content security policy of a page that contains this style and loads nothing else."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


class RefusalPage(Dialect, frozen=True, kw_only=True):
    """A dialect that renders errors as HTML pages of a site.

    `links` are pairs of address and text. The first link leads to the site's first page. `body` and `schema` are for
    callers that do not want a page.
    """

    site: str
    style: str
    links: tuple[tuple[str, str], ...]

    def response(self, fault: BalcaoError) -> Response[Any]:
        """Return the error as a page, with the same headers as a response without a page."""
        return self._render(fault.status, fault.message, super().response(fault).headers)

    def show_unread(self, status: int) -> Response[Any]:
        """Return the page for a request that was refused before it was parsed. Only its status is known."""
        return self._render(status, "Comece de novo pelo início.", {"Cache-Control": NO_STORE})

    def _render(self, status: int, advice: str, headers: Mapping[str, str]) -> Response[Any]:
        title, advice = _TITLES.get(status, "O pedido não pôde ser atendido"), _ADVICE.get(status, advice)
        links = "".join(f'<p><a href="{escape(address)}">{escape(text)}</a></p>' for address, text in self.links)
        text = _PAGE.format(
            title=escape(title), site=escape(self.site), style=self.style, advice=escape(advice), links=links
        )
        guarded = {**headers, "Content-Security-Policy": allow_style(self.style)}
        return Response(text.encode(), status=status, headers=guarded, media_type=HTML)
