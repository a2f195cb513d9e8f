"""Panel settings: whether it is served, its client at the provider, its keys, and the length of a session."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from balcao.settings.addresses import AddressSettings, reach
from balcao.settings.production import is_weak_key
from balcao.settings.types import Addresses, DatabaseAddress, split_list

SANDBOX_CLIENT_SECRET = "sandbox-painel-secret"  # noqa: S105 - public, of the demo
SANDBOX_KEY = "sandbox-panel-key"


def check_keys(keys: SecretStr) -> SecretStr:
    """Return the keys of a surface (the panel or the site). Raises ValueError if one of them is too short."""
    if any(len(key) < 8 for key in split_list(keys.get_secret_value())):
        raise ValueError("cada chave tem pelo menos 8 caracteres; separe as anteriores por vírgula")
    return keys


class PanelSettings(AddressSettings):
    """The settings that the panel reads."""

    panel: bool | None = None
    panel_url: Addresses = ""
    panel_port: int = Field(8082, ge=1, le=65535)
    panel_api_url: Addresses = ""
    panel_client_id: str = Field("painel", min_length=1)
    panel_client_secret: SecretStr = SecretStr(SANDBOX_CLIENT_SECRET)
    panel_stream_client_id: str = ""
    panel_stream_client_secret: SecretStr = SecretStr("")
    panel_key: Annotated[SecretStr, AfterValidator(check_keys)] = SecretStr(SANDBOX_KEY)
    panel_database_url: DatabaseAddress = ""
    panel_database_role: str = Field("balcao_panel", pattern=r"^[a-z_][a-z0-9_]{0,62}$")
    panel_idle_minutes: int = Field(30, ge=1, le=600)
    panel_session_hours: int = Field(10, ge=1, le=24)
    panel_city: str = Field("Prefeitura de Porto Aurora", max_length=80)

    @property
    def panel_address(self) -> str:
        """Return the address at which people reach the panel, without `/painel` and without a trailing slash."""
        return self.panel_url.rstrip("/") or self.base_url

    @property
    def own_panel_address(self) -> str:
        """Return the address at which people reach a separate `balcao panel`.

        Without a gateway, this is its own port.
        """
        behind_gateway = self.panel_url.rstrip("/") or self.public_url.rstrip("/")
        return behind_gateway or self.panel_listening_url

    @property
    def panel_listening_url(self) -> str:
        """Return the address at which this machine reaches its own `balcao panel`."""
        return f"http://{reach(self.host)}:{self.panel_port}"

    @property
    def panel_services_url(self) -> str:
        """Return the address at which the panel calls the services, without a trailing slash."""
        return self.panel_api_url.rstrip("/") or self.base_url

    @property
    def panel_keys(self) -> tuple[str, ...]:
        """Return the keys for the panel's stored data. The first key encrypts; every key decrypts."""
        return split_list(self.panel_key.get_secret_value())

    def refuse_panel(self) -> list[str]:
        """Return the reasons why a panel must not start in production."""
        refused = {
            "BALCAO_PANEL_CLIENT_SECRET tem o valor público de demonstração: defina o do cliente do painel.": (
                self.panel_client_secret.get_secret_value() == SANDBOX_CLIENT_SECRET
            ),
            "BALCAO_PANEL_KEY não tem 32 bytes aleatórios: use a saída de `openssl rand -base64 32`.": (
                not self.panel_keys or any(is_weak_key(key) for key in self.panel_keys)
            ),
            "BALCAO_PANEL_DATABASE_URL está vazio: o painel entra no banco com um usuário próprio.": (
                not self.panel_database_url
            ),
        }
        return [sentence for sentence, applies in refused.items() if applies]
