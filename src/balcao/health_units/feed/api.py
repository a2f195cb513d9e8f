"""Route of the stream of changes."""

from typing import Annotated, TypeAlias

from pydantic_core import PydanticKnownError

from balcao.core.context.call import Call
from balcao.core.errors import Fault, Unprocessable
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import OfRequest
from balcao.core.http.responses import EVENTS, Response, stream_events
from balcao.health_units.feed import service
from balcao.health_units.feed.schemas import StreamQuery, parse_sequence
from balcao.health_units.operations import RATES, READ, in_query

StreamInQuery: TypeAlias = Annotated[StreamQuery, in_query(StreamQuery, repeated=("cnes",))]
Address: TypeAlias = Annotated[str, OfRequest(lambda request: request.peer)]

routes = Routes(tags=["risco"], dialect=DETAIL)


@routes.get(
    "/unidades/eventos",
    "health_units.stream_changes",
    READ,
    "Mudanças de risco e de unidades, na hora",
    description=(
        "Um fluxo de eventos (server-sent events): `risco` traz a unidade com as duas notificações, `unidade` diz que "
        "o registro ou os horários mudaram, `reset` pede que o retrato em `/unidades/risco` seja lido de novo. Quem "
        "volta com `Last-Event-ID` (ou `desde`) recebe antes tudo o que perdeu, até sete dias. Um comentário a cada 15 "
        "segundos diz que o fluxo vive; ele termina com o token, ou depois de uma hora: abra outro. Até 5 fluxos por "
        "cliente e endereço (429). Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`."
    ),
    errors=[422],
    media_types=(EVENTS,),
    **RATES,
)
async def stream_changes(call: Call, query: StreamInQuery, address: Address) -> Response[str]:
    """Pass on changes for as long as the caller listens."""
    sent = call.headers.text(b"last-event-id")
    after = _parse_last_id(sent) if sent else query.desde
    return stream_events(await service.open_stream(call, address, query.cnes, after))


def _parse_last_id(text: str) -> int:
    """Return the number of a change in the header. Raises Unprocessable."""
    try:
        return parse_sequence(text)
    except PydanticKnownError:
        item = Fault(loc=["header", "Last-Event-ID"], msg="deve ser o id de um evento", type="int_parsing")
        raise Unprocessable(faults=[item]) from None
