"""Routes for the change stream."""

from typing import Annotated, TypeAlias

import msgspec
from pydantic_core import PydanticKnownError

from balcao.core.access.rules import public
from balcao.core.audit.retention import Retention
from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import OfRequest, in_query
from balcao.core.http.responses import EVENTS, Response, created, stream_events
from balcao.health_units.feed import service
from balcao.health_units.feed.schemas import StreamQuery, StreamTicket, TicketQuery, parse_sequence
from balcao.health_units.operations import READ
from balcao.health_units.routes import ROUTES

StreamInQuery: TypeAlias = Annotated[StreamQuery, in_query(StreamQuery, repeated=("cnes",))]
TicketInQuery: TypeAlias = Annotated[TicketQuery, in_query(TicketQuery)]
Address: TypeAlias = Annotated[str, OfRequest(lambda request: request.peer)]

routes = ROUTES.extend(tags=["risco"])


@routes.get(
    "/unidades/eventos",
    service.STREAM,
    READ,
    "Mudanças de risco e de unidades, na hora",
    media_types=(EVENTS,),
)
async def stream_changes(call: Call, query: StreamInQuery, address: Address) -> Response[str]:
    """Um fluxo de eventos (server-sent events). `risco` traz a unidade com as duas notificações, `unidade` avisa que o
    registro ou os horários mudaram, e `reset` pede uma nova leitura de `/unidades/risco`. Quem volta com
    `Last-Event-ID` (ou `desde`) recebe primeiro tudo o que perdeu em até sete dias. Um comentário a cada 15 segundos
    mantém o fluxo ativo. O fluxo termina com o token ou depois de uma hora: abra outro. Em regra, são até 5 fluxos por
    cliente e endereço em cada processo (429). Qualquer pessoa com token pode ler; uma máquina precisa do escopo
    `sms:read`.
    """
    sent = call.headers.text(b"last-event-id")
    after = _parse_last_id(sent) if sent else query.desde
    return stream_events(await service.open_stream(call, address, query.cnes, after))


@routes.post(
    "/unidades/eventos/bilhetes",
    "health_units.issue_stream_ticket",
    READ,
    "Bilhete para um navegador abrir o fluxo",
    status=201,
    rate="30/minute",
    machine_rate="300/minute",
)
async def issue_stream_ticket(call: Call, query: StreamInQuery) -> Response[StreamTicket]:
    """Um `EventSource` de navegador não envia cabeçalhos e, por isso, não envia token. A página pede aqui um bilhete,
    com o token e os parâmetros do fluxo, e abre `/unidades/eventos/ao-vivo?bilhete=...`. O bilhete vale por 30 segundos
    e uma única vez, com o direito de quem o pediu e os parâmetros pedidos. O fluxo termina quando o token expira. Se a
    conexão cai, o navegador tenta o mesmo bilhete, recebe 401 e desiste: peça outro bilhete com `desde` igual ao
    `lastEventId` do último evento e abra um novo `EventSource`.
    """
    return created(msgspec.json.encode(await service.issue_ticket(call, query)))


@routes.get(
    "/unidades/eventos/ao-vivo",
    "health_units.stream_changes_by_ticket",
    public(),
    "Mudanças de risco e de unidades, para navegadores",
    errors=[401, 403],
    media_types=(EVENTS,),
)
async def stream_changes_by_ticket(call: Call, query: TicketInQuery, address: Address) -> Response[str]:
    """O mesmo fluxo de `/unidades/eventos`, aberto com um bilhete de `/unidades/eventos/bilhetes` em vez do token. Se o
    bilhete é desconhecido, já foi usado ou venceu, a resposta é 401.
    """
    return stream_events(await service.open_stream_by_ticket(call, address, query.bilhete))


def _parse_last_id(text: str) -> int:
    """Parse the change number in the `Last-Event-ID` header. Raises Unprocessable if it is malformed."""
    try:
        return parse_sequence(text)
    except PydanticKnownError:
        item = Fault(loc=["header", "Last-Event-ID"], msg="deve ser o id de um evento", type="int_parsing")
        raise Unprocessable(faults=[item]) from None


FEATURE = Feature(
    routes=routes.declared,
    retention=[Retention("health_unit_changes", service.apply_retention)],
    exports=Exports(tables=("health_units.change_feed",), derived=("health_units.feed_counter",)),
)
