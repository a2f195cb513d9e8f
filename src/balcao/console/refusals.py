"""The page that a gateway shows where a browser asks for the panel and the panel itself is not asked.

It stands alone: what would come with it, as the style sheet, may be away or refused, too.
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT, Dialect
from balcao.core.http.responses import HTML, NO_STORE, Response

_TITLES: Mapping[int, str] = {
    400: "O pedido não pôde ser lido",
    404: "Página não encontrada",
    405: "Isto não se abre por um endereço",
    408: "O pedido demorou demais a chegar",
    413: "O que foi enviado é grande demais",
    414: "O endereço é longo demais",
    429: "Muitos pedidos em pouco tempo",
    431: "O navegador enviou informação demais",
    503: "O painel não está disponível agora",
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
# One line, without a dollar or a percent sign: a gateway's configuration has it as a text of its own.
_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:38rem;margin:3rem auto;padding:0 1rem;color:#1b1b1b}"
    "h1{font-size:1.5rem}a{color:#0b5394}"
)
_PAGE = (
    '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<title>{title} · Painel</title><link rel="icon" href="data:,"><style>{style}</style></head>'
    '<body><main><h1>{title}</h1><p>{advice}</p><p><a href="/painel">Ir para o início do painel</a></p></main>'
    "</body></html>"
)
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class _Page(Dialect, frozen=True):
    def response(self, fault: BalcaoError) -> Response[Any]:
        """Show the fault as a page, with the headers of any other refusal."""
        return _render(fault.status, fault.message, super().response(fault).headers)


def show_unread(status: int) -> Response[Any]:
    """Return the page for a request that was refused before it was read, so that nobody knows more of it."""
    return _render(status, "Comece de novo pelo início.", {"Cache-Control": NO_STORE})


def _render(status: int, advice: str, headers: Mapping[str, str]) -> Response[Any]:
    title, advice = _TITLES.get(status, "O pedido não pôde ser atendido"), _ADVICE.get(status, advice)
    text = _PAGE.format(title=escape(title), advice=escape(advice), style=_STYLE)
    guarded = {**headers, "Content-Security-Policy": _POLICY}
    return Response(text.encode(), status=status, headers=guarded, media_type=HTML)


REFUSAL_PAGE = _Page(ERROR_TEXT.body, ERROR_TEXT.schema)
