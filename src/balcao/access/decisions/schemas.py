"""Wire types for decisions."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints, model_validator

from balcao.access.conventions import AnyCaseMethod, CpfText, SearchText
from balcao.core.access.rules import Reason
from balcao.core.http.models import Model
from balcao.core.values.fields import WholeNumber

MAX_PATH = 2048
MAX_VERSION = 2**62
Names = Annotated[str, StringConstraints(max_length=4096)]


class ExplainQuery(Model):
    """The request or the action to explain, and the caller to assume."""

    method: Annotated[
        AnyCaseMethod | None,
        Field(description="Método, em maiúsculas ou não; vem com `path`.", examples=["GET"]),
    ] = None
    path: Annotated[
        Annotated[str, StringConstraints(max_length=MAX_PATH)] | None,
        Field(description="Caminho da requisição, com o prefixo do serviço.", examples=["/iptu/api/v1/boletos/7"]),
    ] = None
    action: Annotated[
        SearchText | None,
        Field(
            description="Em vez de `method` e `path`: a chave estável de uma ação, `#id` se a cidade a criou.",
            examples=["pets:read"],
        ),
    ] = None
    subject: Annotated[
        CpfText | None, Field(description="CPF de quem chamaria; sem ele, você.", examples=["90000040126"])
    ] = None
    roles: Annotated[
        Names | None, Field(description="Papéis que o token traria, separados por vírgula.", examples=["busca_admin"])
    ] = None
    scopes: Annotated[
        Names | None, Field(description="Escopos que o token traria, separados por vírgula.", examples=["profile"])
    ] = None
    client: Annotated[
        SearchText | None,
        Field(description="Cliente (`azp`) do token; sem `subject`, o de uma máquina.", examples=["portal-servidor"]),
    ] = None

    at_version: Annotated[
        WholeNumber | None,
        Field(ge=1, le=MAX_VERSION, description="Versão do catálogo; sem ela, a atual.", examples=[12]),
    ] = None

    @model_validator(mode="after")
    def _asks_once(self) -> "ExplainQuery":
        if (self.method is None) != (self.path is None) or (self.path is None) == (self.action is None):
            raise ValueError("informe `method` e `path`, ou só `action`")
        return self

    @property
    def has_assumptions(self) -> bool:
        """Whether the query assumes anything other than a current request with the caller's own token."""
        return (self.roles, self.scopes, self.client, self.at_version) != (None, None, None, None)


class ExplainedMapping(msgspec.Struct):
    """The mapping that decides on the request."""

    id: Annotated[int, Meta(description="Identificador do mapeamento.", examples=[301])]
    method: Annotated[str, Meta(description="Método.", examples=["GET"])]
    path_pattern: Annotated[str, Meta(description="Padrão do caminho.", examples=["/iptu/api/v1/boletos/{id}"])]
    service: Annotated[str | None, Meta(description="Serviço; nulo se é de outra aplicação.", examples=[None])]
    operation: Annotated[str | None, Meta(description="Operação da plataforma; nulo se não é.", examples=[None])]
    guard: Annotated[str | None, Meta(description="O que deixa passar sem a ação; nulo se nada.", examples=[None])]


class ExplainedAction(msgspec.Struct):
    """The action that the request requires."""

    id: Annotated[int, Meta(description="Identificador da ação.", examples=[90])]
    name: Annotated[str, Meta(description="Nome atual da ação.", examples=["iptu:invoice:read"])]
    description: Annotated[str, Meta(description="O que a ação permite.", examples=["Consultar boletos do IPTU"])]


ShownReach = dict[str, list[str]]


class ExplainedWay(msgspec.Struct):
    """A role that grants the action to the person, and where the role comes from."""

    role: Annotated[str, Meta(description="Papel.", examples=["iptu:consulta"])]
    source: Annotated[
        Literal["token", "direct", "group"], Meta(description="Do token, direto ou de um grupo.", examples=["group"])
    ]
    group: Annotated[str | None, Meta(description="Grupo que dá o papel; nulo sem grupo.", examples=["iptu_equipe"])]
    reach: Annotated[
        ShownReach,
        Meta(description="Limites do grupo, por chave, também `go:orgao`; vazio sem limite.", examples=[{}]),
    ]


class PersonActionsQuery(Model):
    """The group that the person is assumed to join."""

    group: Annotated[
        SearchText | None,
        Field(description="Grupo em que a pessoa estaria, para saber o que ela ganharia.", examples=["busca_editores"]),
    ] = None


class PersonAction(msgspec.Struct):
    """An action of a person, with every way in which they have it."""

    action: Annotated[str, Meta(description="Nome atual da ação.", examples=["service:update"])]
    reach: Annotated[
        ShownReach,
        Meta(
            description="Até onde alcança, somados os caminhos: por chave (`area`, `go:orgao`, `manages`), os valores; "
            "chave ausente é sem limite.",
            examples=[{"area": ["1.0"]}],
        ),
    ]
    via: Annotated[list[ExplainedWay], Meta(description="Papéis que a dão, e de onde vêm.")]
    gained: Annotated[bool, Meta(description="Se é nova, ou alcança mais, por causa desse grupo.", examples=[False])]


class PersonActions(msgspec.Struct):
    """Everything that a person may do through stored roles."""

    administrator: Annotated[bool, Meta(description="Se tem todas as ações, também as futuras.", examples=[False])]
    actions: Annotated[list[PersonAction], Meta(description="Ações da pessoa, por nome.")]
    departments: Annotated[
        list[str], Meta(description="Órgãos (`cd_ua`) que os grupos da pessoa lhe dão.", examples=[["1100"]])
    ]
    catalogue_version: Annotated[int, Meta(description="Versão do catálogo que as dá.", examples=[120])]


class Explanation(msgspec.Struct):
    """A decision and its reasons."""

    decision: Annotated[Literal["allow", "deny"], Meta(description="A decisão.", examples=["allow"])]
    reason: Annotated[Reason, Meta(description="O motivo, um código estável.", examples=["granted"])]
    mapping: Annotated[ExplainedMapping | None, Meta(description="O mapeamento que decide; nulo se nenhum decide.")]
    action: Annotated[ExplainedAction | None, Meta(description="A ação exigida; nula se nenhum mapeamento decide.")]
    via: Annotated[list[ExplainedWay], Meta(description="Papéis que dão a ação; vazio se a razão é outra.")]
    reach: Annotated[
        ShownReach | None,
        Meta(
            description="Até onde a ação alcança, somados os caminhos: por chave (`area`, `go:orgao`, `manages`), os "
            "valores; chave ausente é sem limite. Nulo se a razão não é `granted`.",
            examples=[{"area": ["1.0"]}],
        ),
    ]
    matched: Annotated[dict[str, str], Meta(description="Valores dos parâmetros do caminho.", examples=[{"id": "7"}])]
    catalogue_version: Annotated[int, Meta(description="Versão do catálogo pela qual se decidiu.", examples=[120])]
