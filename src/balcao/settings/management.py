"""Settings of monitoring: the management port, and the token for the metrics."""

from pydantic import BaseModel, Field, SecretStr


class ManagementSettings(BaseModel):
    """The port for metrics, liveness and readiness of all processes, separate from the callers' port."""

    metrics_token: SecretStr = SecretStr("")
    management_host: str = "127.0.0.1"
    management_port: int | None = Field(None, ge=1, le=65535)
    worker_management_port: int | None = Field(None, ge=1, le=65535)
    panel_management_port: int | None = Field(None, ge=1, le=65535)
    # The minimum exceeds the two minutes that one attempt to reach the database may take.
    worker_stall_timeout: float = Field(300, ge=180, le=86_400)

    @property
    def port_of_worker(self) -> int | None:
        """Return the management port of a `balcao worker`. It needs its own on the machine of a `balcao serve`."""
        return self.worker_management_port or self.management_port

    @property
    def management_port_of_panel(self) -> int | None:
        """Return the management port of a `balcao panel`. It needs its own on the machine of another process."""
        return self.panel_management_port or self.management_port
