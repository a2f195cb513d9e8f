"""The gateway's error page for browsers."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.refusal_pages import RefusalPage
from balcao.web.templating import BASE_STYLE

REFUSAL_PAGE = RefusalPage(
    ERROR_TEXT.body,
    ERROR_TEXT.schema,
    site="Balcão",
    # The page is a single line, because the generated configuration of other gateways contains it as one string.
    style=" ".join(BASE_STYLE.split()),
    links=(("/docs", "Ir para a página inicial"), ("/status", "Ver a situação dos serviços")),
)
