"""Wire types for the feedback on a service's page (rules: search 2.7)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.http.paging import PageQuery
from balcao.search import members

Helpful: TypeAlias = Annotated[bool, Meta(description="Se a página ajudou.", examples=[False])]


class FeedbackBody(msgspec.Struct):
    """A visitor's feedback on a page."""

    helpful: Helpful
    comment: (
        Annotated[
            str,
            Meta(
                description="O que faltou ou ajudou: até 300 caracteres, sem CPF, e-mail e telefone.",
                examples=["Não diz onde entregar os documentos."],
            ),
        ]
        | None
    ) = None


class Comment(msgspec.Struct):
    """A comment of a visitor."""

    id: Annotated[str, Meta(description="Identificador (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])]
    at: Annotated[int, Meta(description="Quando chegou, em segundos Unix.", examples=[1791232200])]
    helpful: Helpful
    comment: Annotated[
        str, Meta(description="O que a pessoa escreveu.", examples=["Não diz onde entregar os documentos."])
    ]


class ServiceFeedback(msgspec.Struct):
    """The feedback on the page of a service, newest comments first."""

    service_id: members.ServiceId
    helpful: Annotated[int, Meta(description="Quantas vezes ajudou, em 365 dias.", examples=[31])]
    not_helpful: Annotated[int, Meta(description="Quantas vezes não ajudou, em 365 dias.", examples=[4])]
    found: Annotated[int, Meta(description="Quantos comentários há.", examples=[1])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Comentários por página.", examples=[10])]
    comments: Annotated[list[Comment], Meta(description="Os comentários, dos mais novos aos mais antigos.")]


class RatedService(msgspec.Struct):
    """A service, and how often its page helped and did not help."""

    service_id: members.ServiceId
    nome_servico: members.Name
    helpful: Annotated[int, Meta(description="Quantas vezes ajudou, em 90 dias.", examples=[31])]
    not_helpful: Annotated[int, Meta(description="Quantas vezes não ajudou, em 90 dias.", examples=[4])]
    comments: Annotated[int, Meta(description="Quantos comentários, em 90 dias.", examples=[2])]


class RatedServices(msgspec.Struct):
    """A page of the services with feedback."""

    found: Annotated[int, Meta(description="Quantos serviços têm respostas.", examples=[1])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Serviços por página.", examples=[10])]
    services: Annotated[list[RatedService], Meta(description="Os serviços, antes os que mais vezes não ajudaram.")]


class CommentQuery(PageQuery):
    """The page of comments, and the filter by helpfulness."""

    helpful: Annotated[
        bool | None, Meta(description="Só os comentários de quem a página ajudou, ou não ajudou.", examples=[False])
    ] = None
