"""The three ways to describe a vehicle's brand and model (rules: registry 4.8)."""

from dataclasses import dataclass, replace

from balcao.core.errors import Invalid
from balcao.registry.mobility.catalogue.schemas import VehicleBrand, VehicleModel


@dataclass(frozen=True)
class Choice:
    """The brand, model and type that a caller chose, or that a vehicle stores. Absent members are None."""

    brand_id: str | None = None
    brand_other: str | None = None
    model_id: str | None = None
    model_other: str | None = None
    vehicle_type: str | None = None


def resolve_choice(choice: Choice, brand: VehicleBrand | None, model: VehicleModel | None) -> Choice:
    """Return the values to store for a choice.

    `brand` and `model` are the live rows that have the choice's ids. Raises Invalid unless the choice is one of the
    three flows: catalogue, hybrid or free.
    """
    _refuse_unknown(choice, brand, model)
    real_brand = None if brand is None or brand.is_other else brand
    real_model = None if model is None or model.is_other else model
    if real_model is not None:
        return _choose_from_catalogue(real_brand, real_model)
    if choice.model_other is None:
        raise Invalid("Informe `model_id` de um modelo da marca, ou `model_other`.", code="model-missing")
    if choice.vehicle_type is None:
        raise Invalid("O campo `vehicle_type` é obrigatório fora do catálogo.", code="vehicle_type-missing")
    if real_brand is not None:
        return replace(choice, brand_other=None, model_id=None)
    if choice.brand_other is None:
        raise Invalid("Informe `brand_id` de uma marca, ou `brand_other`.", code="brand-missing")
    return replace(choice, brand_id=None, model_id=None)


def _choose_from_catalogue(brand: VehicleBrand | None, model: VehicleModel) -> Choice:
    if brand is None or model.brand_id != brand.id:
        raise Invalid("O campo `model_id` deve ser um modelo da marca de `brand_id`.", code="model-of-another-brand")
    return Choice(brand_id=brand.id, model_id=model.id, vehicle_type=model.vehicle_type)


def _refuse_unknown(choice: Choice, brand: VehicleBrand | None, model: VehicleModel | None) -> None:
    if choice.brand_id is not None and brand is None:
        raise Invalid("O campo `brand_id` deve ser o id de uma marca do catálogo.", code="brand-unknown")
    if choice.model_id is not None and model is None:
        raise Invalid("O campo `model_id` deve ser o id de um modelo do catálogo.", code="model-unknown")
