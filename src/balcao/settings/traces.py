"""Settings of the traces."""

from pydantic import BaseModel, Field

from balcao.settings.types import Addresses


class TraceSettings(BaseModel):
    """Whether traces are recorded, and for which share of the calls."""

    traces_url: Addresses = ""
    traces_share: float = Field(1.0, ge=0, le=1)
