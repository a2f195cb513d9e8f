"""Settings for the listening addresses and the public addresses."""

from pydantic import BaseModel, Field

from balcao.settings.types import Addresses, split_list


class AddressSettings(BaseModel):
    """The platform's address settings."""

    host: str = "127.0.0.1"
    port: int = Field(8080, ge=1, le=65534)
    public_url: Addresses = ""
    server_urls_csv: Addresses = Field("", validation_alias="BALCAO_SERVER_URLS")

    @property
    def base_url(self) -> str:
        """Return the address at which callers reach the gateway, without a trailing slash."""
        return self.public_url.rstrip("/") or f"http://{reach(self.host)}:{self.port}"

    @property
    def server_urls(self) -> tuple[str, ...]:
        """Return the server addresses for the OpenAPI documents: production first, then staging."""
        return tuple(address.rstrip("/") for address in split_list(self.server_urls_csv))


def reach(host: str) -> str:
    """Return the host name at which this machine reaches its own server that listens on `host`."""
    everywhere = {"0.0.0.0", "::", ""}  # noqa: S104 - compared, not bound
    return "127.0.0.1" if host in everywhere else f"[{host}]" if ":" in host else host
