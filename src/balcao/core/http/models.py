"""The base class of bodies and queries that pydantic validates."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """The base class of a body or a query.

    The validator of a subclass is built on first use, because most operations are not called soon after a start.
    """

    model_config = ConfigDict(defer_build=True)
