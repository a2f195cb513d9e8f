"""Routes of the stream of changes."""

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
    """Um fluxo de eventos (server-sent events): `risco` traz a unidade com as duas notificações, `unidade` diz que o
    registro ou os horários mudaram, `reset` pede que o retrato em `/unidades/risco` seja lido de novo. Quem volta com
    `Last-Event-ID` (ou `desde`) recebe antes tudo o que perdeu, até sete dias. Um comentário a cada 15 segundos diz que
    o fluxo vive; ele termina com o token, ou depois de uma hora: abra outro. Até 5 fluxos por cliente e endereço (429).
    Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`.
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
    """Um `EventSource` de navegador não envia cabeçalhos, e por isso nenhum token: a página pede aqui um bilhete, com o
    token e com os parâmetros do fluxo, e abre `/unidades/eventos/ao-vivo?bilhete=...`. O bilhete vale 30 segundos e uma
    só vez, para quem o pediu e com os parâmetros pedidos; o fluxo termina quando o token terminaria. Quando a conexão
    cai o navegador tenta o mesmo bilhete, recebe 401 e desiste: peça outro com `desde` igual ao `lastEventId` do último
    evento e abra um `EventSource` novo.
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
    """O mesmo fluxo que `/unidades/eventos`, aberto com um bilhete de `/unidades/eventos/bilhetes` em vez do token. Um
    bilhete desconhecido, usado ou vencido é 401.
    """
    return stream_events(await service.open_stream_by_ticket(call, address, query.bilhete))


def _parse_last_id(text: str) -> int:
    """Return the number of a change from the header. Raises Unprocessable if it is not a number."""
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
