"""Routes for staff who handle requests."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.files.detection import MediaType
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.http.responses import PERSONAL, Response, personal
from balcao.core.http.sent_headers import CONTENT_DISPOSITION, sending
from balcao.registry.person.files.paths import FileInPath
from balcao.registry.person.files.responses import attach_file
from balcao.registry.requests.lifecycle import handling
from balcao.registry.requests.lifecycle.numbers import NumberInPath
from balcao.registry.requests.lifecycle.schemas import HandledRequest, RequestQuery, RequestSummaries, StepBody
from balcao.registry.routes import ROUTES

PATH = "/admin/maintenance-requests"
HANDLING = action("requests:handle").testing(handling.EVERYWHERE)

routes = ROUTES.extend(tags=["requests"], body_limit=SMALL_BODY, concerns_people=True)


@routes.get(
    PATH,
    "registry.list_requests",
    HANDLING,
    "Pedidos dos meus órgãos",
    query=RequestQuery,
)
async def get_requests(call: Call, query: Query, page: PageInQuery) -> RequestSummaries:
    """Devolve uma página dos pedidos dos órgãos de quem chama e dos órgãos abaixo deles, sem respostas nem pessoas: os
    abertos pelo prazo, os outros pela última mudança. Com a ação `requests:any_department`, são os de todos os órgãos.
    """
    return await handling.list_requests(call, query, page)


@routes.get(
    PATH + "/{number}",
    "registry.read_handled_request",
    HANDLING,
    "Um pedido dos meus órgãos",
    errors=[304],
)
async def get_handled_request(call: Call, number: NumberInPath) -> Response[HandledRequest]:
    """Devolve um pedido com as respostas e os passos, e o CPF mascarado. A resposta é 404 se ele não existe ou é de
    outro órgão. A leitura é registrada na trilha da pessoa.
    """
    return personal(await handling.read_handled_request(call, number), call)


@routes.get(
    PATH + "/{number}/files/{file_id}",
    "registry.download_request_file",
    HANDLING,
    "Um arquivo de um pedido dos meus órgãos",
    media_types=tuple(MediaType),
)
@sending(CONTENT_DISPOSITION)
async def get_request_file(call: Call, number: NumberInPath, file_id: FileInPath) -> Response[bytes]:
    """Devolve um arquivo do pedido ou de uma resposta do cidadão, como anexo. A resposta é 404 se o pedido é de outro
    órgão ou não tem este arquivo. A leitura é registrada na trilha da pessoa.
    """
    return attach_file(await handling.read_request_file(call, number, file_id))


@routes.post(
    PATH + "/{number}/steps",
    "registry.add_request_step",
    HANDLING,
    "Muda a situação de um pedido, pergunta ou responde",
    errors=[409, 412],
    example={"state": "needs_information", "text": "Qual é o número da casa em frente?"},
)
async def post_step(call: Call, number: NumberInPath, body: StepBody) -> Response[HandledRequest]:
    """Muda a situação (`state`), escreve ao cidadão (`text`), ou os dois. `needs_information` e `refused` precisam de
    texto. A resposta é 409 se o pedido está encerrado ou não pode passar para esta situação. Com `Idempotency-Key`,
    repetir a chamada devolve a primeira resposta.
    """
    body_ = await handling.add_staff_step(call, number, body)
    return Response(body_, headers={"Cache-Control": PERSONAL})
