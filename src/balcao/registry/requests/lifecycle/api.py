"""Routes for citizens' requests, and for requests made without a login."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import own, own_only, public
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_older_rows
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY, SMALL_BODY
from balcao.core.http.parameters import CpfInPath, OfRequest
from balcao.core.http.responses import NO_STORE, PERSONAL, Response, created, personal, to_json
from balcao.core.jobs.declaration import DeadJobs
from balcao.registry.requests.lifecycle import service, staff_api, store
from balcao.registry.requests.lifecycle.emails import EMAIL_JOB
from balcao.registry.requests.lifecycle.jobs import JOBS
from balcao.registry.requests.lifecycle.numbers import NumberInPath
from balcao.registry.requests.lifecycle.schemas import (
    AnswerBody,
    FollowBody,
    FollowedRequest,
    NewRequest,
    RatingBody,
    Receipt,
    RequestBody,
    ServiceRequest,
    TextBody,
)
from balcao.registry.routes import ROUTES

OWN = "/citizen/{cpf}/maintenance-request"
WRITING = own("requests:write")
Peer: TypeAlias = Annotated[str, OfRequest(lambda request: request.peer)]

routes = ROUTES.extend(tags=["requests"], body_limit=SMALL_BODY)


@routes.post(
    OWN,
    "registry.open_request",
    WRITING,
    "Faz um pedido à prefeitura",
    status=201,
    errors=[409],
    body_limit=FORM_BODY,
    example={
        "type": "lampada_apagada",
        "version": 1,
        "answers": {"problema": "apagada", "local": {"address": "Rua das Acácias, 120", "district": "Centro"}},
    },
)
async def post_request(call: Call, cpf: CpfInPath, body: RequestBody) -> Response[NewRequest]:
    """Faz um pedido de um tipo (`GET /request-types`), com a `version` cujas perguntas o cidadão viu. Devolve o número
    e o código, que só aparece aqui e mostra a situação sem login. A resposta é 409 se o tipo mudou ou não é mais
    atendido, ou se o cidadão já tem 20 pedidos abertos. Com `Idempotency-Key`, repetir a chamada devolve a primeira
    resposta.
    """
    return created(await service.open_request(call, cpf, body))


@routes.get(
    OWN + "/{number}",
    "registry.read_request",
    own("requests:read"),
    "Um pedido do cidadão, com os seus passos",
    errors=[304, 400],
)
async def get_request(call: Call, cpf: CpfInPath, number: NumberInPath) -> Response[ServiceRequest]:
    """Devolve um pedido com as respostas e todos os passos. A resposta é 404 se ele não existe ou é de outra pessoa."""
    return personal(await service.read_request(call, cpf, number), call)


@routes.post(
    OWN + "/{number}/answer",
    "registry.answer_request",
    WRITING,
    "Responde a uma pergunta da prefeitura",
    errors=[409],
)
async def post_answer(call: Call, cpf: CpfInPath, number: NumberInPath, body: AnswerBody) -> Response[ServiceRequest]:
    """Responde à pergunta de um pedido em `needs_information`, que volta a `in_progress`. A resposta pode ter fotos e
    documentos, enviados antes por `POST /citizen/{cpf}/files`. A resposta é 400 se um arquivo não é do cidadão ou já
    está no pedido, ou se o pedido passaria de 5 arquivos, e 409 se nada foi perguntado.
    """
    return _changed(await service.answer_question(call, cpf, number, body))


@routes.post(
    OWN + "/{number}/reopening",
    "registry.reopen_request",
    WRITING,
    "Reabre um pedido encerrado",
    errors=[409],
)
async def post_reopening(call: Call, cpf: CpfInPath, number: NumberInPath, body: TextBody) -> Response[ServiceRequest]:
    """Reabre um pedido até 30 dias depois de encerrado. A resposta é 409 se ele está aberto, se foi encerrado há mais
    tempo, ou se o cidadão já tem 20 pedidos abertos.
    """
    return _changed(await service.reopen_request(call, cpf, number, body))


@routes.post(
    OWN + "/{number}/rating",
    "registry.rate_request",
    own_only(),
    "Dá uma nota a um pedido encerrado",
    errors=[409],
)
async def post_rating(call: Call, cpf: CpfInPath, number: NumberInPath, body: RatingBody) -> Response[ServiceRequest]:
    """Dá uma nota de 1 a 5, uma só vez, depois que o pedido foi encerrado. Só o próprio cidadão pode dar a nota."""
    return _changed(await service.rate_request(call, cpf, number, body))


@routes.post(
    "/maintenance-requests",
    "registry.open_anonymous_request",
    public(),
    "Faz um pedido sem login",
    status=201,
    errors=[409],
    example={
        "type": "lampada_apagada",
        "version": 1,
        "answers": {"problema": "apagada", "local": {"address": "Rua das Acácias, 120", "district": "Centro"}},
    },
)
async def post_anonymous_request(call: Call, peer: Peer, body: RequestBody) -> Response[Receipt]:
    """Faz um pedido de um tipo com `without_login`. Nenhuma resposta pode conter CPF, e-mail ou telefone. Devolve o
    número e o código, que só aparece aqui. Uma `Idempotency-Key` deve ter pelo menos 32 caracteres, pois só ela mostra
    quem repete a chamada. Operação pública, até 10 pedidos por hora e endereço; cada portal conta os endereços de quem
    o usa.
    """
    return created(await service.open_anonymous_request(call, peer, body))


@routes.post(
    "/maintenance-requests/follow",
    "registry.follow_request",
    public(),
    "Situação de um pedido, pelo número e pelo código",
    errors=[404],
    idempotent=True,
)
async def follow_request(call: Call, peer: Peer, body: FollowBody) -> Response[FollowedRequest]:
    """Devolve a situação e as datas de um pedido, sem textos, lugar ou pessoa, a quem tem o número e o código do
    comprovante. A resposta é 404 se um dos dois está errado. Operação pública, até 30 chamadas por minuto e endereço;
    um portal conta ele mesmo os endereços de quem o usa.
    """
    return to_json(await service.follow_request(call, peer, body), headers={"Cache-Control": NO_STORE})


def _changed(body: bytes) -> Response[ServiceRequest]:
    """Build the response to a change from the JSON that `run_once` returned."""
    return Response(body, headers={"Cache-Control": PERSONAL})


PERSONAL_DATA = PersonalData(
    "requests",
    [
        ExportMember(
            "pedidos", list[ServiceRequest], "Pedidos do cidadão à prefeitura, com os passos.", 112,
            service.list_all_requests,
        )
    ],
    erase_older_rows(
        "requests", store.erase_requests, ["cpf", "answers", "steps.text", "steps.files", "rating.comment"]
    ),
    tables=["registry.request", "registry.request_step"],
)  # fmt: skip

FEATURE = Feature(
    routes=[*routes.declared, *staff_api.routes.declared],
    jobs=JOBS,
    retention=[OldRows("request", store.count_requests, service.delete_old_requests)],
    personal_data=PERSONAL_DATA,
    dead_jobs=[
        DeadJobs(store.SEND_JOB, "request", store.find_request_owners, store.list_request_ids, store.give_up_sending),
        DeadJobs(EMAIL_JOB, "request", store.find_request_owners, store.list_request_ids),
    ],
    exports=Exports(tables=("registry.request", "registry.request_step"), derived=("registry.request_poll",)),
    limits=service.LIMITS,
)
