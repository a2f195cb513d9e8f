"""The page that a browser is shown where it asks for the panel and the panel itself is not asked."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.refusal_pages import RefusalPage

# One line, without a dollar or a percent sign: a gateway's configuration has it as a text of its own.
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
