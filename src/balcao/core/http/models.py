"""The base of bodies and queries that pydantic checks."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A body or a query; what checks it is made when the first comes, as most are not asked for soon after a start."""

    model_config = ConfigDict(defer_build=True)
