"""Settings for monitoring: the management ports, and the token for the metrics."""

from pydantic import BaseModel, Field, SecretStr


class ManagementSettings(BaseModel):
    """Settings for the management ports, which serve metrics, liveness and readiness separately from callers."""

    metrics_token: SecretStr = SecretStr("")
    management_host: str = "127.0.0.1"
    management_port: int | None = Field(None, ge=1, le=65535)
    worker_management_port: int | None = Field(None, ge=1, le=65535)
    panel_management_port: int | None = Field(None, ge=1, le=65535)
    # The minimum is more than two minutes, because one attempt to reach the database may take that long.
    worker_stall_timeout: float = Field(300, ge=180, le=86_400)

    @property
    def port_of_worker(self) -> int | None:
        """Return the management port of `balcao worker`.

        A worker on the same machine as `balcao serve` needs its own port.
        """
        return self.worker_management_port or self.management_port

    @property
    def management_port_of_panel(self) -> int | None:
        """Return the management port of `balcao panel`.

        A panel on the same machine as another process needs its own port.
        """
        return self.panel_management_port or self.management_port
