"""The public form of a service, and public responses with cache headers (rules: search 2.3, 2.6)."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta

from balcao.core.context.call import Call
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.errors import Forbidden
from balcao.core.http.responses import NOT_MODIFIED, Response
from balcao.core.values.etags import etag_of, lists_etag
from balcao.search import members
from balcao.search.conventions import parse_flag_parameter, require_action
from balcao.search.document import ServiceContent
from balcao.search.sanitising import clean_body

T = TypeVar("T")

CACHE_CONTROL = "public, max-age=30"
READ_DRAFTS = "service:read"
SEARCH_SCOPE = "busca:search"


class PublicService(ServiceContent):
    """A service without its author and its version number.

    The portals require the member `autor`. It is always empty, because the names of staff are not public.
    """

    id: members.ServiceId
    slug: members.Slug
    slug_history: members.FormerSlugs
    created_at: members.CreatedAt
    last_update: members.LastUpdate
    search_content: members.SearchedText
    resumo_plaintext: members.PlainText
    resultado_solicitacao_plaintext: members.PlainText
    descricao_completa_plaintext: members.PlainText
    instrucoes_solicitante_plaintext: members.PlainText
    documentos_necessarios_plaintext: members.PlainTexts
    autor: members.NoAuthor = ""

    def __post_init__(self) -> None:
        self.autor = ""


class ListedService(msgspec.Struct, omit_defaults=True, kw_only=True):
    """A service in a public list, with the member names that the portals already use."""

    id: members.ServiceId
    title: Annotated[str, Meta(description="Nome do serviço.", examples=["Poda de árvore"])]
    description: Annotated[str, Meta(description="Resumo sem markdown.", examples=["Solicita a poda de árvores."])]
    category: members.Category
    subcategory: members.Subcategory | None
    slug: members.Slug
    status: members.State
    created_at: members.CreatedAt
    updated_at: members.LastUpdate
    metadata: Annotated[dict[str, Any], Meta(description="Todos os demais campos públicos do serviço.")]


# `metadata` omits the fields that `ListedService` shows under another name, and `autor`, which is always empty.
_SHOWN = frozenset(
    {"autor", "id", "nome_servico", "tema_geral", "sub_categoria", "slug", "status", "created_at", "last_update"}
)


def to_listed(service: PublicService) -> ListedService:
    """Convert the service to the form of the public lists."""
    return ListedService(
        id=service.id,
        title=service.nome_servico,
        description=service.resumo_plaintext,
        category=service.tema_geral,
        subcategory=service.sub_categoria,
        slug=service.slug,
        status=service.status,
        created_at=service.created_at,
        updated_at=service.last_update,
        metadata={
            name: value
            for name, value in msgspec.structs.asdict(service).items()
            if name not in _SHOWN and value is not UNSET
        },
    )


def respond_publicly(
    value: T, call: Call, *, status: int = 200, headers: Mapping[str, str] | None = None, compared: Any = None
) -> Response[T]:
    """Respond with a weak ETag, or with 304 if `If-None-Match` contains it.

    The tag is computed from `compared` if it is given. `compared` omits members that differ in every response, such as
    a timestamp.
    """
    body = clean_body(msgspec.json.encode(value))
    tag = etag_of(body if compared is None else msgspec.json.encode(compared))
    all_headers = {"ETag": f"W/{tag}", "Cache-Control": CACHE_CONTROL, **(headers or {})}
    if status == 200 and lists_etag(call.if_none_match, tag):
        return Response(status=NOT_MODIFIED, headers=all_headers)
    return Response(body, status=status, headers=all_headers)


async def may_see_drafts(call: Call, query: Mapping[str, str]) -> bool:
    """Return whether the caller asked for drafts and may see them. Only a call that asks for drafts needs a token.

    Raises Invalid if the parameter is not a boolean, Unauthenticated if the token is missing or not valid, and
    Forbidden without `service:read`.
    """
    if not parse_flag_parameter(query, "include_inactive"):
        return False
    await _identify(call)
    require_action(call, READ_DRAFTS)
    return True


async def may_see_exclusive(call: Call, query: Mapping[str, str]) -> bool:
    """Return whether the caller asked for services that only conversational agents use, and may see them.

    Raises Invalid if the parameter is not a boolean, Unauthenticated if the token is missing or not valid, and
    Forbidden if the caller is not a machine with the scope `busca:search`.
    """
    if parse_flag_parameter(query, "exclude_agent_exclusive") is not False:
        return False
    await _identify(call)
    caller = call.identified_caller
    if not (caller.is_machine and SEARCH_SCOPE in caller.scopes):
        raise Forbidden(f"Só um sistema com o escopo `{SEARCH_SCOPE}` vê os serviços dos agentes de conversa.")
    return True


async def _identify(call: Call) -> None:
    """Identify the caller of a public operation by the token. Raises Unauthenticated without a valid token."""
    if call.caller is None:
        call.caller = await call.platform.tokens.caller(call.headers.get(AUTHORIZATION))
