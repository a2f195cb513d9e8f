"""Connection settings: trusted addresses, and the limits for each address and each process."""

from pydantic import BaseModel, Field

from balcao.settings.types import Networks, split_list


class ConnectionSettings(BaseModel):
    """Settings for trusted addresses, and for how much of a process's resources callers may use."""

    trusted_proxies_csv: Networks = Field("", validation_alias="BALCAO_TRUSTED_PROXIES")
    trusted_callers_csv: Networks = Field("", validation_alias="BALCAO_TRUSTED_CALLERS")
    max_connections: int = Field(4096, ge=16, le=60_000)
    max_address_connections: int = Field(256, ge=1, le=60_000)
    # One address may use three sixteenths of this memory. The default is enough for three bodies of the maximum size
    # (16 MiB) from one address, and the minimum for one body.
    max_body_memory: int = Field(268_435_456, ge=134_217_728)
    max_header_bytes: int = Field(65_536, ge=8_192, le=1_048_576)
    header_timeout: float = Field(30.0, gt=0, le=600)
    body_timeout: float = Field(30.0, gt=0, le=600)
    shutdown_timeout: float = Field(10.0, gt=0, le=12)  # less than 15 s, after which a stopping process exits

    @property
    def trusted_proxies(self) -> tuple[str, ...]:
        """Return the addresses and networks of the proxies whose forwarding headers are trusted."""
        return split_list(self.trusted_proxies_csv)

    @property
    def trusted_callers(self) -> tuple[str, ...]:
        """Return the addresses and networks of servers that call on behalf of many people, such as portals."""
        return split_list(self.trusted_callers_csv)
