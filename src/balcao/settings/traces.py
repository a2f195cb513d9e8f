"""Settings for traces."""

from pydantic import BaseModel, Field

from balcao.settings.types import Addresses


class TraceSettings(BaseModel):
    """The address to which traces are sent, and the share of calls that are traced.

    An empty address disables traces.
    """

    traces_url: Addresses = ""
    traces_share: float = Field(1.0, ge=0, le=1)
