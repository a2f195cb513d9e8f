"""Settings of who watches: the management port, and what readers of the metrics show."""

from pydantic import BaseModel, Field, SecretStr


class ManagementSettings(BaseModel):
    """Where metrics, liveness and readiness of all processes are served, apart from what callers reach."""

    metrics_token: SecretStr = SecretStr("")
    management_host: str = "127.0.0.1"
    management_port: int | None = Field(None, ge=1, le=65535)
    worker_management_port: int | None = Field(None, ge=1, le=65535)
    panel_management_port: int | None = Field(None, ge=1, le=65535)
    # More than the two minutes after which a process gives up a database that froze.
    worker_stall_timeout: float = Field(300, ge=180, le=86_400)

    @property
    def port_of_worker(self) -> int | None:
        """Return the management port of a `balcao worker`: its own where it shares a machine with `balcao serve`."""
        return self.worker_management_port or self.management_port

    @property
    def management_port_of_panel(self) -> int | None:
        """Return the management port of a `balcao panel`: its own where it shares a machine with another process."""
        return self.panel_management_port or self.management_port
