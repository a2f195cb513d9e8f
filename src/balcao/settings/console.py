"""Settings of the panel: whether it is served, its client at the provider, its keys, how long a session lasts."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from balcao.settings.addresses import AddressSettings, reach
from balcao.settings.production import is_weak_key
from balcao.settings.types import Addresses, DatabaseAddress, split_list

SANDBOX_CLIENT_SECRET = "sandbox-painel-secret"  # noqa: S105 - public, of the demo
SANDBOX_KEY = "sandbox-console-key"


def _check_keys(keys: SecretStr) -> SecretStr:
    if any(len(key) < 8 for key in split_list(keys.get_secret_value())):
        raise ValueError("cada chave tem pelo menos 8 caracteres; separe as anteriores por vírgula")
    return keys


class ConsoleSettings(AddressSettings):
    """The part of the settings that the panel reads."""

    console: bool | None = None
    console_url: Addresses = ""
    console_port: int = Field(8082, ge=1, le=65535)
    console_api_url: Addresses = ""
    console_client_id: str = Field("painel", min_length=1)
    console_client_secret: SecretStr = SecretStr(SANDBOX_CLIENT_SECRET)
    console_stream_client_id: str = ""
    console_stream_client_secret: SecretStr = SecretStr("")
    console_key: Annotated[SecretStr, AfterValidator(_check_keys)] = SecretStr(SANDBOX_KEY)
    console_database_url: DatabaseAddress = ""
    console_database_role: str = Field("balcao_console", pattern=r"^[a-z_][a-z0-9_]{0,62}$")
    console_idle_minutes: int = Field(30, ge=1, le=600)
    console_session_hours: int = Field(10, ge=1, le=24)
    console_city: str = Field("Prefeitura de Porto Aurora", max_length=80)

    @property
    def console_address(self) -> str:
        """Return where people reach the panel, without `/painel` and without a trailing slash."""
        return self.console_url.rstrip("/") or self.base_url

    @property
    def own_console_address(self) -> str:
        """Return where people reach a `balcao console`: as above, but without a gateway at its own port."""
        behind_gateway = self.console_url.rstrip("/") or self.public_url.rstrip("/")
        return behind_gateway or self.console_listening_url

    @property
    def console_listening_url(self) -> str:
        """Return where this machine reaches a `balcao console` of its own."""
        return f"http://{reach(self.host)}:{self.console_port}"

    @property
    def console_services_url(self) -> str:
        """Return where the panel calls the services, without a trailing slash."""
        return self.console_api_url.rstrip("/") or self.base_url

    @property
    def console_keys(self) -> tuple[str, ...]:
        """Return the keys of what the panel stores: the first one seals, the others still open."""
        return split_list(self.console_key.get_secret_value())

    def refuse_console(self) -> list[str]:
        """Return what production refuses of a panel that is switched on."""
        refused = {
            "BALCAO_CONSOLE_CLIENT_SECRET tem o valor público de demonstração: defina o do cliente do painel.": (
                self.console_client_secret.get_secret_value() == SANDBOX_CLIENT_SECRET
            ),
            "BALCAO_CONSOLE_KEY não tem 32 bytes aleatórios: use a saída de `openssl rand -base64 32`.": (
                not self.console_keys or any(is_weak_key(key) for key in self.console_keys)
            ),
            "BALCAO_CONSOLE_DATABASE_URL está vazio: o painel entra no banco com um usuário próprio.": (
                not self.console_database_url
            ),
        }
        return [sentence for sentence, applies in refused.items() if applies]
