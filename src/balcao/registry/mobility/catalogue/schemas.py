"""Wire types for the vehicle catalogue (rules: registry 2.7, 2.8, 3.6)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType


class VehicleType(StrEnum):
    """The legal types of light electric vehicles."""

    ELECTRIC_BICYCLE = "bicicleta_eletrica"
    SELF_PROPELLED = "autopropelido"
    MOPED = "ciclomotor"


BrandIdText: TypeAlias = Annotated[str, Meta(description="Id da marca no catálogo.", examples=["brand_brisa"])]
ModelIdText: TypeAlias = Annotated[str, Meta(description="Id do modelo no catálogo.", examples=["model_brisa_urbana"])]
BrandName: TypeAlias = Annotated[str, Meta(description="Nome da marca.", examples=["Brisa"])]
ModelName: TypeAlias = Annotated[str, Meta(description="Nome do modelo.", examples=["Urbana"])]
TypeOfVehicle: TypeAlias = Annotated[VehicleType, Meta(description="Tipo do veículo.", examples=["bicicleta_eletrica"])]
ColourName: TypeAlias = Annotated[
    str, Meta(description="Cor, uma das de `/mobilidade/vehicle-colors`.", examples=["Azul"])
]
IsOther: TypeAlias = Annotated[
    bool, Meta(description="Verdadeiro na opção `Outro`, que representa o que não está no catálogo.", examples=[False])
]
DeletedAt: TypeAlias = Annotated[
    datetime | None, Meta(description="Quando foi excluído do catálogo (RFC 3339); nulo enquanto vale.")
]
NewName: TypeAlias = Annotated[
    str, Meta(description="Nome, de 1 a 100 caracteres, com ao menos uma letra ou algarismo.", examples=["Maresia"])
]
TypeText: TypeAlias = Annotated[
    str,
    Meta(
        description="Tipo do veículo: `bicicleta_eletrica`, `autopropelido` ou `ciclomotor`.",
        examples=["bicicleta_eletrica"],
        extra_json_schema={"enum": sorted(VehicleType)},
    ),
]


class VehicleBrand(msgspec.Struct, kw_only=True):
    """A brand. `is_other` marks the brand that means "not in the catalogue"."""

    id: BrandIdText
    name: BrandName
    is_other: IsOther
    deleted_at: DeletedAt


class VehicleModel(msgspec.Struct, kw_only=True):
    """A model of a brand. `is_other` marks the model that means "not in the catalogue"."""

    id: ModelIdText
    brand_id: BrandIdText
    name: ModelName
    vehicle_type: TypeOfVehicle
    is_other: IsOther
    deleted_at: DeletedAt


class VehicleBrands(msgspec.Struct):
    """The brands to choose from, or all brands for administrators."""

    data: Annotated[list[VehicleBrand], Meta(description="Marcas em ordem alfabética, `Outro` no fim.")]


class VehicleModels(msgspec.Struct):
    """The models to choose from, or all models for administrators."""

    data: Annotated[list[VehicleModel], Meta(description="Modelos em ordem alfabética, `Outro` no fim.")]


class VehicleColours(msgspec.Struct):
    """The colours to choose from."""

    data: Annotated[
        list[str], Meta(description="Cores, na ordem em que os formulários as mostram.", examples=[["Amarelo", "Azul"]])
    ]


class BrandQuery(msgspec.Struct):
    """The query for the models of one brand."""

    brand_id: Annotated[str, Meta(description="Id da marca cujos modelos listar.", examples=["brand_brisa"])]


class AnyBrandQuery(msgspec.Struct):
    """The query for models. Without `brand_id`, it returns all models."""

    brand_id: Annotated[
        str | None, Meta(description="Só os modelos desta marca; sem ele, os de todas.", examples=["brand_brisa"])
    ] = None


class VehicleBrandBody(msgspec.Struct):
    """A new brand, or the new name of an existing brand."""

    name: NewName


class VehicleModelBody(msgspec.Struct):
    """A new model. `vehicle_type` is a value of `VehicleType`."""

    brand_id: BrandIdText
    name: NewName
    vehicle_type: TypeText


class VehicleModelChange(msgspec.Struct):
    """The members of a model to change. At least one is required."""

    name: NewName | UnsetType = UNSET
    brand_id: BrandIdText | UnsetType = UNSET
    vehicle_type: TypeText | UnsetType = UNSET


class Chosen(msgspec.Struct, frozen=True):
    """The live brand and model with the chosen ids. A member is None if no live row has that id."""

    brand: VehicleBrand | None
    model: VehicleModel | None

    def share(self, brand_id: str | None, model_id: str | None) -> "Shared":
        """Return the entries that `share_sql` checks and locks. Pass only the ids that the vehicle stores."""
        of_brand = (self.brand.id, self.brand.name) if self.brand and brand_id else (None, None)
        model = self.model if model_id else None
        of_model = (model.id, model.name, model.vehicle_type) if model else (None, None, None)
        return Shared(*of_brand, *of_model)

    def names(self, brand_id: str | None, model_id: str | None) -> tuple[str | None, str | None]:
        """Return the names of the brand and model. Pass only the ids that the vehicle stores."""
        return (
            self.brand.name if self.brand and brand_id else None,
            self.model.name if self.model and model_id else None,
        )


class Shared(NamedTuple):
    """The catalogue entries, as read, to which a vehicle will refer. An entry that the vehicle does not use is None."""

    brand_id: str | None
    brand_name: str | None
    model_id: str | None
    model_name: str | None
    vehicle_type: str | None
