"""The panel's error page for requests that are refused before one of its pages handles them."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.refusal_pages import RefusalPage

# A single line without dollar and percent signs, because the gateway's configuration contains it as a literal.
_STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:38rem;margin:3rem auto;padding:0 1rem;color:#1b1b1b}"
    "h1{font-size:1.5rem}a{color:#0b5394}"
)

REFUSAL_PAGE = RefusalPage(
    ERROR_TEXT.body,
    ERROR_TEXT.schema,
    site="Painel",
    style=_STYLE,
    links=(("/painel", "Ir para o início do painel"),),
)
