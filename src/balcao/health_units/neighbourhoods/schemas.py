"""Wire types for a neighbourhood: its name, and a point in it."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.core.http.models import Model

Name: TypeAlias = Annotated[str, Meta(description="Nome do bairro.", examples=["Praia Grande"])]
Latitude: TypeAlias = Annotated[float, Meta(description="Latitude em graus.", examples=[-22.9])]
Longitude: TypeAlias = Annotated[float, Meta(description="Longitude em graus.", examples=[-43.2])]


class NeighbourhoodBody(Model):
    """A point in a neighbourhood, at the centre of its inhabited part."""

    latitude: Annotated[
        float, Field(ge=-90, le=90, allow_inf_nan=False, description="Latitude em graus.", examples=[-22.9])
    ]
    longitude: Annotated[
        float, Field(ge=-180, le=180, allow_inf_nan=False, description="Longitude em graus.", examples=[-43.2])
    ]


class Neighbourhood(msgspec.Struct, frozen=True):
    """A neighbourhood that the city registered."""

    bairro: Name
    latitude: Latitude
    longitude: Longitude


class ListedNeighbourhood(Neighbourhood, frozen=True):
    """A neighbourhood in the list, with its number of units."""

    unidades: Annotated[int, Meta(description="Unidades ativas no bairro.", examples=[2])]
    cadastrado: Annotated[
        bool,
        Meta(
            description="Se a prefeitura informou o ponto; se não, é a média das unidades do bairro.", examples=[True]
        ),
    ]


class Neighbourhoods(msgspec.Struct, frozen=True):
    """The neighbourhoods of the city that have a point."""

    itens: Annotated[list[ListedNeighbourhood], Meta(description="Por nome, sem diferença de maiúsculas e acentos.")]
