"""The pages that a link in an e-mail opens. They are self-contained, so the browser needs no further request."""

from html import escape
from typing import NamedTuple

from balcao.core.errors import NotFound
from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, NO_STORE, Response

_STYLE = (
    "body{font:1.125rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:36rem;padding:2rem 1rem;color:#1b1b1b;"
    "background:#fff}h1{font-size:1.5rem;line-height:1.25}button{font:inherit;font-weight:700;padding:.75rem 1.25rem;"
    "border:2px solid #0b4a8f;border-radius:.25rem;background:#0b4a8f;color:#fff;cursor:pointer}"
    "button:focus-visible{outline:3px solid #f6b100;outline-offset:2px}"
    "@media (prefers-color-scheme:dark){body{color:#f2f2f2;background:#161616}"
    "button{background:#9ecbff;border-color:#9ecbff;color:#0a1a2b}}"
)
_PAGE = (
    '<!doctype html><html lang="pt-BR"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
    '<title>{title}</title><link rel="icon" href="data:,"><style>{style}</style></head>'
    "<body><main><h1>{title}</h1><p>{text}</p>{form}</main></body></html>"
)
# The form posts to the page's own address, with the member that mail programs send (RFC 8058, 3.2).
_FORM = (
    '<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click">'
    '<button type="submit">Não quero mais receber</button></form>'
)
# Anyone who has the address can opt the person out, so the browser must not send it to another site as the referrer.
_HEADERS = {
    "Cache-Control": NO_STORE,
    "Content-Security-Policy": allow_style(_STYLE).replace("form-action 'none'", "form-action 'self'"),
    "Referrer-Policy": "no-referrer",
}


class Words(NamedTuple):
    """The title and text of a page."""

    title: str
    text: str


UNKNOWN = Words(
    "Este endereço não vale mais",
    "Nada mudou. Use o endereço de uma mensagem mais nova, ou entre no portal do cidadão e mude as suas preferências.",
)


def ask(category: str) -> Words:
    return Words(
        f"Não quer mais receber mensagens sobre {category}?",
        "Nada mudou até agora. As outras mensagens continuam.",
    )


def confirm(category: str) -> Words:
    return Words(
        f"Pronto: você não recebe mais mensagens sobre {category}",
        "Se mudar de ideia, entre no portal do cidadão e escolha de novo nas suas preferências.",
    )


def show(words: Words, *, has_form: bool = False) -> Response[str]:
    """Return a page with status 200."""
    return Response(_render(words, _FORM if has_form else ""), media_type=HTML, headers=_HEADERS)


def show_unknown(refused: NotFound) -> Response[str]:
    """Return the page for an address that is not valid or has expired. The page is the same in both cases."""
    headers = _HEADERS | {"Error-Code": refused.code}
    return Response(_render(UNKNOWN), status=refused.status, media_type=HTML, headers=headers)


def _render(words: Words, form: str = "") -> bytes:
    """Render the page. The texts are escaped, because the name of a category may contain any character."""
    return _PAGE.format(title=escape(words.title), text=escape(words.text), style=_STYLE, form=form).encode()
