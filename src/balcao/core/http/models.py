"""The base class of bodies and queries that pydantic validates."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """The base class of a body or a query.

    The validator of a subclass is built on first use, so that a start does not build those of rarely called operations.
    """

    model_config = ConfigDict(defer_build=True)
