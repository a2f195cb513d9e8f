"""Wire types for the catalogue as code: the document, and the plan of its changes (rules: access 4.7)."""

from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta
from pydantic import BeforeValidator, Field

from balcao.access.conventions import ActionName, Description, Method, Name, SearchText
from balcao.access.groups.schemas import SentAttributes
from balcao.access.mappings.schemas import Pattern
from balcao.core.http.models import Model
from balcao.core.values.fields import Flag

MAX_ITEMS = 20_000
MAX_PREFIXES = 20


def _parse_format(sent: Any) -> Any:
    """Return the number 1 for "1", because all scalars in the YAML subset are strings."""
    return 1 if sent == "1" else sent


class DocumentAction(Model):
    """An action. `renamed_from` is its former name or its code key."""

    name: Annotated[ActionName, Field(description="Nome da ação.", examples=["iptu:invoice:read"])]
    description: Annotated[Description, Field(description="O que permite.", examples=["Consultar boletos do IPTU"])]
    renamed_from: Annotated[
        ActionName | None, Field(description="Nome anterior, ou o que tem no código.", examples=["iptu:boleto:ler"])
    ] = None


class DocumentRole(Model):
    """A role, and the names of the actions that it grants."""

    name: Annotated[Name, Field(description="Nome do papel.", examples=["iptu:consulta"])]
    description: Annotated[Description, Field(description="Para que serve.", examples=["Consulta a boletos do IPTU"])]
    actions: Annotated[list[ActionName], Field(description="Ações que dá.", examples=[["iptu:invoice:read"]])] = []


class DocumentGroup(Model):
    """A group, and the names of the roles that it gives. A document never contains people."""

    name: Annotated[Name, Field(description="Nome do grupo.", examples=["iptu_equipe"])]
    description: Annotated[Description, Field(description="Quem reúne.", examples=["Equipe do IPTU"])]
    roles: Annotated[list[Name], Field(description="Papéis que dá.", examples=[["iptu:consulta"]])] = []
    attributes: Annotated[SentAttributes | None, Field(description="Atributos do grupo.", examples=[{}])] = None


class DocumentMapping(Model):
    """A mapping of another application's endpoint."""

    method: Annotated[Method, Field(description="Método HTTP.", examples=["GET"])]
    path: Annotated[Pattern, Field(description="Padrão do caminho.", examples=["/iptu/api/v1/boletos/{id}"])]
    action: Annotated[ActionName, Field(description="Ação exigida.", examples=["iptu:invoice:read"])]
    description: Annotated[Description | None, Field(description="O que a operação faz.", examples=["Um boleto"])] = (
        None
    )


class DocumentBinding(Model):
    """An operation of the platform that is bound to a different action than the one declared in code."""

    operation: Annotated[SearchText, Field(description="Operação.", examples=["registry.list_pets"])]
    action: Annotated[ActionName, Field(description="Ação exigida.", examples=["pets:read"])]


class Document(Model):
    """The catalogue without its people."""

    format: Annotated[Literal[1], BeforeValidator(_parse_format), Field(description="Sempre 1.", examples=[1])]
    actions: Annotated[list[DocumentAction], Field(max_length=MAX_ITEMS, description="Ações.")] = []
    roles: Annotated[list[DocumentRole], Field(max_length=MAX_ITEMS, description="Papéis.")] = []
    groups: Annotated[list[DocumentGroup], Field(max_length=MAX_ITEMS, description="Grupos.")] = []
    mappings: Annotated[list[DocumentMapping], Field(max_length=MAX_ITEMS, description="Mapeamentos da cidade.")] = []
    bindings: Annotated[list[DocumentBinding], Field(max_length=MAX_ITEMS, description="Operações religadas.")] = []
    complete: Annotated[
        list[Pattern],
        Field(
            max_length=MAX_PREFIXES,
            description="Começos de caminho dos quais o documento traz todos os mapeamentos: os outros são excluídos.",
            examples=[["/iptu/api/v1"]],
        ),
    ] = []


class Format(StrEnum):
    """The format of a document."""

    YAML = "yaml"
    JSON = "json"


class ExportQuery(Model):
    """The format of the export."""

    format: Annotated[Format, Field(description="`yaml` ou `json`.", examples=["yaml"])] = Format.YAML


class PlanQuery(Model):
    """Whether to delete items that the document omits."""

    prune: Annotated[Flag, Field(description="Se `true`, o que falta no documento é excluído.", examples=[False])] = (
        False
    )


class ApplyBody(Model):
    """The plan to apply."""

    plan_id: Annotated[
        UUID, Field(description="Identificador do plano.", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])
    ]


Kind = Literal["action", "role", "group", "mapping", "binding"]


class Item(msgspec.Struct):
    """A change. `before` is null for a creation, and `after` is null for a deletion."""

    kind: Annotated[Kind, Meta(description="O que muda.", examples=["action"])]
    key: Annotated[str, Meta(description="O seu nome, ou método e caminho.", examples=["iptu:invoice:read"])]
    before: Annotated[dict[str, Any] | None, Meta(description="Como é; nulo se é novo.", examples=[None])]
    after: Annotated[dict[str, Any] | None, Meta(description="Como fica; nulo se é excluído.")]
    reach: Annotated[
        dict[str, list[str]] | None,
        Meta(
            description="De um grupo que é criado ou muda: até onde alcança o que ele dá, por chave (`area`, "
            "`go:orgao`, `manages`); chave ausente é sem limite. Nulo para o resto.",
            examples=[{"area": ["1.0"]}],
        ),
    ] = None


class Remark(msgspec.Struct):
    """A reason that blocks a change, or a warning about a change."""

    kind: Annotated[Kind, Meta(description="De que se trata.", examples=["action"])]
    key: Annotated[str, Meta(description="O seu nome, ou método e caminho.", examples=["pets:read"])]
    code: Annotated[str, Meta(description="O problema, um código estável.", examples=["action-in-use"])]
    message: Annotated[str, Meta(description="O mesmo, para pessoas.")]


class Plan(msgspec.Struct):
    """The changes that applying the document would make."""

    plan_id: Annotated[UUID, Meta(description="Identificador do plano, para aplicá-lo.")]
    base_version: Annotated[int, Meta(description="Versão do catálogo com a qual se comparou.", examples=[120])]
    create: Annotated[list[Item], Meta(description="O que é criado.")]
    update: Annotated[list[Item], Meta(description="O que muda.")]
    delete: Annotated[list[Item], Meta(description="O que é excluído.")]
    unchanged: Annotated[int, Meta(description="Quantos itens do documento ficam como estão.", examples=[210])]
    warnings: Annotated[list[Remark], Meta(description="O que convém saber.")]
    blocked: Annotated[list[Remark], Meta(description="O que impede o plano; com algum, ele não se aplica.")]
    applied: Annotated[bool, Meta(description="Se foi aplicado.", examples=[False])]
    version: Annotated[int | None, Meta(description="Versão que a aplicação fez; nula antes.", examples=[None])] = None


class PolicyQuery(Model):
    """The role whose policy to return."""

    role: Annotated[Name, Field(description="Nome do papel.", examples=["acessos:leitor"])] = "admin"


class PolicyRule(msgspec.Struct, rename="camel"):
    """The verbs that the role allows on a resource."""

    resource: Annotated[str, Meta(description="Recurso: o nome da ação sem o verbo.", examples=["iptu:invoice"])]
    allow_actions: Annotated[list[str], Meta(description="Verbos permitidos.", examples=[["read"]])]


class RolePolicy(msgspec.Struct):
    """A role's rules in Cerbos's format."""

    role: Annotated[str, Meta(description="Nome do papel.", examples=["iptu:consulta"])]
    scope: Annotated[str, Meta(description="Escopo da política; vazio é a raiz.", examples=[""])]
    rules: Annotated[list[PolicyRule], Meta(description="Regras, por recurso.")]


class PolicyTemplate(msgspec.Struct, rename="camel"):
    """A role of the catalogue as a Cerbos policy."""

    api_version: Annotated[Literal["api.cerbos.dev/v1"], Meta(description="Sempre `api.cerbos.dev/v1`.")]
    kind: Annotated[Literal["RolePolicy"], Meta(description="Sempre `RolePolicy`.")]
    role_policy: Annotated[RolePolicy, Meta(description="A política do papel.")]
