"""The base class of bodies and queries that pydantic validates."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A body or a query.

    Its validator is built on first use, because most operations are not called soon after a start.
    """

    model_config = ConfigDict(defer_build=True)
