"""The page that a browser is shown at an address of the gateway that is none, or that cannot answer it."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.refusal_pages import RefusalPage
from balcao.web.templating import BASE_STYLE

REFUSAL_PAGE = RefusalPage(
    ERROR_TEXT.body,
    ERROR_TEXT.schema,
    site="Balcão",
    # One line: the configuration of another maker's gateway has it as a text of its own.
    style=" ".join(BASE_STYLE.split()),
    links=(("/docs", "Ir para a página inicial"), ("/status", "Ver a situação dos serviços")),
)
