"""Import the catalogue. An import never undoes a rename or a deletion, and never changes the type of a model in use."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.text import clean_text
from balcao.registry.mobility.catalogue import store
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.catalogue.service import LONGEST_NAME
from balcao.registry.mobility.catalogue.slugs import fold_name_case, make_brand_id, make_model_id
from balcao.registry.mobility.catalogue.store import ImportedBrand, ImportedModel


def _normalize(field: str, name: str) -> str:
    """Return the trimmed name. Raises ValueError, which names the member, if the name is not valid."""
    try:
        text = clean_text(field, name, longest=LONGEST_NAME)
        make_brand_id(text)
    except Invalid as fault:
        raise ValueError(fault.message) from None
    return text


class BrandRow(msgspec.Struct):
    """A brand in the import file."""

    name: str

    def __post_init__(self) -> None:
        self.name = _normalize("name", self.name)


class ModelRow(msgspec.Struct):
    """A model in the import file. `brand` is the brand's name. The import creates a missing brand."""

    brand: str
    name: str
    vehicle_type: VehicleType

    def __post_init__(self) -> None:
        self.brand, self.name = _normalize("brand", self.brand), _normalize("name", self.name)


async def write_brands(connection: Connection, rows: Sequence[BrandRow]) -> int:
    """Insert the missing brands, and return how many were inserted.

    If several rows have the same id, the first row wins.
    """
    brands = [ImportedBrand(make_brand_id(row.name), row.name, fold_name_case(row.name)) for row in rows]
    return await store.import_brands(connection, brands)


async def write_models(connection: Connection, rows: Sequence[ModelRow]) -> int:
    """Write the brands and then the models. Return the number of new and changed models.

    If several rows have the same id, the last row wins.
    """
    await write_brands(connection, [BrandRow(row.brand) for row in rows])
    models = {model.id: model for model in map(_to_imported, rows)}
    return await store.import_models(connection, list(models.values()))


def _to_imported(row: ModelRow) -> ImportedModel:
    brand_id = make_brand_id(row.brand)
    model_id = make_model_id(brand_id, row.name)
    return ImportedModel(
        model_id, brand_id, fold_name_case(row.brand), row.name, fold_name_case(row.name), row.vehicle_type
    )


IMPORTS = [
    Import("vehicle-brands", BrandRow, write_brands, from_table=True),
    Import("vehicle-models", ModelRow, write_models, from_table=True),
]
