"""The ids of the catalogue in a path."""

from balcao.core.http.operations import path_text

BrandId = path_text(r"^brand_[a-z0-9_]+$", "Id da marca", "brand_brisa")
ModelId = path_text(r"^model_[a-z0-9_]+$", "Id do modelo", "model_brisa_urbana")
