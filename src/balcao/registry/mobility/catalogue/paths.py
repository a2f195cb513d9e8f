"""Path parameters: the ids of brands and models."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

BrandId: TypeAlias = Annotated[str, InPath(str, "Id da marca", "brand_brisa", r"^brand_[a-z0-9_]+$")]

ModelId: TypeAlias = Annotated[str, InPath(str, "Id do modelo", "model_brisa_urbana", r"^model_[a-z0-9_]+$")]
