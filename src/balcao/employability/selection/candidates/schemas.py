"""Wire types of staff's list of applications (rules: employability 2.7, 3.4)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.lists import ListMeta
from balcao.employability.selection.applications.schemas import Application, StatusCounts
from balcao.employability.selection.people.info import PersonalInfo


class Candidate(Application, kw_only=True):
    """An application in staff's list."""

    personal_info: Annotated[
        PersonalInfo | None, Meta(description="O que o cadastro da cidade diz da pessoa; nulo se nada se sabe.")
    ]


class Candidates(msgspec.Struct):
    """A page of staff's list."""

    data: Annotated[list[Candidate], Meta(description="Candidaturas da página, da mais nova à mais antiga.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]
    resumo: Annotated[
        StatusCounts, Meta(description="Quantas há em cada situação, por todos os filtros menos o de situação.")
    ]
