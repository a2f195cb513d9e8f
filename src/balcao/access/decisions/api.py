"""Routes for decisions."""

from typing import Annotated, Any, TypeAlias

from balcao.access.catalogue.service import make_denial_recorder
from balcao.access.conventions import cpf_in_path
from balcao.access.decisions import check, service
from balcao.access.decisions.person_rights import list_person_actions as list_actions
from balcao.access.decisions.schemas import ExplainQuery, Explanation, PersonActions, PersonActionsQuery
from balcao.access.routes import ROUTES
from balcao.core.access.rules import authenticated, own, public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import UNLIMITED
from balcao.core.http.parameters import InPath, OfRequest, in_query
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.http.routing import REST_OF_PATH
from balcao.core.http.sent_headers import sending
from balcao.core.values.cpf import Cpf

WholeRequest: TypeAlias = Annotated[Request, OfRequest(lambda request: request)]
RestOfPath: TypeAlias = Annotated[str, InPath(str, "Caminho da requisição original, com as suas barras", "jobs")]
CpfInPath: TypeAlias = Annotated[Cpf, cpf_in_path("cpf", "CPF da pessoa, só dígitos", "90000020109")]
PersonActionsInQuery: TypeAlias = Annotated[PersonActionsQuery, in_query(PersonActionsQuery)]
ExplainInQuery: TypeAlias = Annotated[ExplainQuery, in_query(ExplainQuery)]

routes = ROUTES.extend()


@routes.get(
    "/api/v1/explain",
    "access.explain_decision",
    authenticated().testing(service.EXPLAIN),
    "Por que uma requisição passa ou não",
    errors=[404],
    rate="120/minute",
)
async def explain_decision(call: Call, query: ExplainInQuery) -> Explanation:
    """Explica se uma requisição passaria, com a mesma decisão que a plataforma tomaria: o mapeamento que decide, a ação
    que ele exige e os papéis que a dão. Com `action`, em vez do método e do caminho, informa se a pessoa tem a ação, e
    por quais papéis. Sobre as suas próprias requisições, qualquer pessoa pode perguntar. Para perguntar sobre outra
    pessoa, supor outros papéis, escopos ou cliente no token, ou usar `at_version`, é preciso a ação `decision:explain`.
    Com `at_version`, a decisão segue uma versão anterior do catálogo, reconstruída a partir da auditoria.
    """
    return await service.explain_decision(call, query)


@routes.get(
    "/api/v1/users/{cpf}/actions",
    "access.list_person_actions",
    own(service.EXPLAIN),
    "O que uma pessoa pode fazer, e por quê",
    errors=[404, 422],
    record_denial=make_denial_recorder("user.read_actions", "user"),
    rate="120/minute",
)
async def get_person_actions(call: Call, cpf: CpfInPath, query: PersonActionsInQuery) -> PersonActions:
    """Devolve as ações que a pessoa tem pelos papéis guardados no catálogo, cada uma com o alcance e com os papéis e
    grupos que a dão. Papéis que só vêm no token não contam. Com `group`, mostra as ações que a pessoa teria se entrasse
    nesse grupo, e quais seriam novas. Nada muda.
    """
    return await list_actions(call, cpf, query.group)


@sending(*check.DECISION_HEADERS, also_with_refusals=True)
async def check_by_headers(call: Call, request: WholeRequest) -> Response[None]:
    """Decide whether the request described by the headers may pass."""
    return await check.check_request(call.platform, request)


@sending(*check.DECISION_HEADERS, also_with_refusals=True)
async def check_by_path(call: Call, request: WholeRequest, rest: RestOfPath) -> Response[None]:
    """Decide whether the request described by the path may pass."""
    return await check.check_request(call.platform, request)


@sending(*check.DECISION_HEADERS, also_with_refusals=True)
async def check_token_by_headers(call: Call, request: WholeRequest) -> Response[None]:
    """Check the token of the request described by the headers."""
    return await check.check_token(call.platform, request)


@sending(*check.DECISION_HEADERS, also_with_refusals=True)
async def check_token_by_path(call: Call, request: WholeRequest, rest: RestOfPath) -> Response[None]:
    """Check the token of the request described by the path."""
    return await check.check_token(call.platform, request)


_DECISION = (
    "Para o gateway da cidade (`auth_request` do nginx, `ext_authz` do Envoy): 200 deixa passar, qualquer outra "
    "resposta recusa. Julga o token recebido em `Authorization`; a decisão vem também nos cabeçalhos "
    "`X-Access-Decision`, `X-Access-Reason`, `X-Access-Action`, `X-Access-Mapping`, `X-Access-Subject` e "
    "`X-Catalogue-Version`. Só atende as redes de `BALCAO_ACCESS_CHECK_NETWORKS`; às outras responde 404. "
)
_FOR_OUR_GATEWAY = (
    "Para o gateway que está diante do próprio Balcão: 401 se a requisição precisa de um token e ele falta ou não "
    "vale, 200 em todos os outros casos, porque de quem não tem o direito é a operação que recusa, e registra. Os "
    "cabeçalhos da resposta e as redes atendidas são os de `/api/v1/check`. "
)
_BY_HEADERS = (
    "A requisição vem em `X-Original-Method` e `X-Original-URI`, ou em `X-Forwarded-Method` e `X-Forwarded-Uri`. Com o "
    "endereço de quem chamou em `X-Original-Address`, quem foi recusado vezes demais recebe 429."
)
_BY_PATH = "O caminho da requisição vem depois do desta operação, e o método é o da chamada."
_CHECKS: dict[str, tuple[str, Any, str, str, list[int]]] = {
    "check_headers": (
        check.CHECK,
        check_by_headers,
        "Decide sobre a requisição que os cabeçalhos dizem",
        _DECISION + _BY_HEADERS,
        [401, 403, 404, 429, 503],
    ),
    "check_path": (
        f"{check.CHECK}/{REST_OF_PATH}",
        check_by_path,
        "Decide sobre a requisição que o caminho diz",
        _DECISION + _BY_PATH,
        [401, 403, 404, 429, 503],
    ),
    "check_token_headers": (
        check.CHECK_AUTHENTICATION,
        check_token_by_headers,
        "Julga o token da requisição que os cabeçalhos dizem",
        _FOR_OUR_GATEWAY + _BY_HEADERS,
        [401, 404, 429],
    ),
    "check_token_path": (
        f"{check.CHECK_AUTHENTICATION}/{REST_OF_PATH}",
        check_token_by_path,
        "Julga o token da requisição que o caminho diz",
        _FOR_OUR_GATEWAY + _BY_PATH,
        [401, 404, 429],
    ),
}
for _name, (_path, _handler, _summary, _description, _errors) in _CHECKS.items():
    for _method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        routes.declare(
            _method,
            _path,
            f"access.{_name}_{_method.lower()}",
            public(),
            f"{_summary} ({_method})",
            description=_description,
            errors=_errors,
            rate=UNLIMITED,
            in_maintenance=True,
            idempotent=_method in {"POST", "PATCH"},
        )(_handler)


FEATURE = Feature(routes=routes.declared)
