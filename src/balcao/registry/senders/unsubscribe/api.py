"""Routes for the unsubscribe address in an e-mail: a page that asks for confirmation, and the one-click opt-out."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath
from balcao.core.http.responses import Response
from balcao.registry.routes import ROUTES
from balcao.registry.senders.unsubscribe import pages, service
from balcao.registry.senders.unsubscribe.links import PATH

_EXAMPLE = "bVc0mJ0Yq3y1nQ7fY2l2d0h4cDk1"
SealedInPath: TypeAlias = Annotated[str, InPath(str, "O endereço fechado da mensagem", _EXAMPLE)]

# The limit is high because mailbox providers make these calls for many readers from few addresses.
RATE = "100/second"

routes = ROUTES.extend(tags=["senders"], body_limit=SMALL_BODY, in_description=False, errors=[404], rate=RATE)


@routes.get(
    f"{PATH}/{{sealed}}",
    "registry.show_unsubscribe",
    public(),
    "A página de quem segue o endereço de saída de uma mensagem",
)
async def get_unsubscribe(call: Call, sealed: SealedInPath) -> Response[str]:
    """Mostra uma página que pergunta se a pessoa quer deixar de receber a categoria. Não muda nada, porque programas de
    e-mail abrem os endereços das mensagens. Se o endereço não vale mais, a página o diz (404). Operação pública.
    """
    try:
        return pages.show(pages.ask((await service.open_address(call, sealed)).category), has_form=True)
    except NotFound as refused:
        return pages.show_unknown(refused)


@routes.post(
    f"{PATH}/{{sealed}}",
    "registry.unsubscribe",
    public(),
    "Deixa de receber uma categoria, com um clique",
    idempotent=True,
)
async def post_unsubscribe(call: Call, sealed: SealedInPath) -> Response[str]:
    """Grava que a pessoa recusa a categoria da mensagem, como a RFC 8058 pede. O corpo é ignorado. Repetir não muda
    nada. Se o endereço não vale mais, nada muda (404). O endereço vem da consulta de destinatários e só serve para
    recusar. Operação pública.
    """
    try:
        return pages.show(pages.confirm(await service.unsubscribe(call, sealed)))
    except NotFound as refused:
        return pages.show_unknown(refused)


FEATURE = Feature(routes=routes.declared)
