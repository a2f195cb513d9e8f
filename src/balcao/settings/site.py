"""Settings of the citizen site: whether it is served, its machine client, and the city's name and telephone."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from balcao.settings.addresses import AddressSettings, reach
from balcao.settings.panel import check_keys
from balcao.settings.production import is_weak_key
from balcao.settings.types import Addresses, DatabaseAddress, Rate, split_list

SANDBOX_CLIENT_SECRET = "sandbox-site-cidadao-secret"  # noqa: S105 - public, of the demo
SANDBOX_KEY = "sandbox-site-key"
SANDBOX_MACHINE_SECRET = "sandbox-site-secret"  # noqa: S105 - public, of the demo
_SANDBOX_CITY, _SANDBOX_PHONE = "Porto Aurora", "156"


class SiteSettings(AddressSettings):
    """The settings that the site reads."""

    profile: Literal["sandbox", "production"] = "sandbox"
    site: bool | None = None
    site_url: Addresses = ""
    site_port: int = Field(8083, ge=1, le=65535)
    site_api_url: Addresses = ""
    site_machine_client_id: str = Field("site", min_length=1)
    site_machine_client_secret: SecretStr = SecretStr(SANDBOX_MACHINE_SECRET)
    site_login: bool | None = None
    site_client_id: str = Field("site-cidadao", min_length=1)
    site_client_secret: SecretStr = SecretStr(SANDBOX_CLIENT_SECRET)
    site_key: Annotated[SecretStr, AfterValidator(check_keys)] = SecretStr(SANDBOX_KEY)
    site_database_url: DatabaseAddress = ""
    site_database_role: str = Field("balcao_site", pattern=r"^[a-z_][a-z0-9_]{0,62}$")
    site_idle_minutes: int = Field(30, ge=1, le=600)
    site_session_hours: int = Field(8, ge=1, le=24)
    site_city: str = Field("", max_length=60)
    site_phone: str = Field("", pattern=r"^[0-9+() -]{0,30}$")
    site_folder: Path | None = None
    # Many people in a school, or many customers of a mobile operator, share one address.
    site_page_rate: Rate = "3000/minute"
    # The rate at which one address may cause calls to the services for data that the site has not cached.
    site_read_rate: Rate = "600/minute"
    # The rate of requests to the city without login. The registry has the same limit for addresses that call it
    # directly.
    site_request_rate: Rate = "10/hour"
    # The rate of look-ups of a request by its number and code.
    site_follow_rate: Rate = "30/minute"
    # The rate of visitors' feedback about service pages.
    site_feedback_rate: Rate = "20/minute"

    @property
    def has_site(self) -> bool:
        """Return whether `balcao serve` includes the site. By default, it does so only in the sandbox."""
        return self.profile == "sandbox" if self.site is None else self.site

    @property
    def has_site_login(self) -> bool:
        """Return whether the site has Minha página. True by default."""
        return self.site_login is not False

    @property
    def site_keys(self) -> tuple[str, ...]:
        """Return the keys for the site's stored data. The first key encrypts; every key decrypts."""
        return split_list(self.site_key.get_secret_value())

    @property
    def site_address(self) -> str:
        """Return the address at which people reach the site, without a trailing slash."""
        return self.site_url.rstrip("/") or self.base_url

    @property
    def own_site_address(self) -> str:
        """Return the address at which people reach a separate `balcao site`.

        Without a gateway, this is its own port.
        """
        behind_gateway = self.site_url.rstrip("/") or self.public_url.rstrip("/")
        return behind_gateway or f"http://{reach(self.host)}:{self.site_port}"

    @property
    def site_services_url(self) -> str:
        """Return the address at which the site calls the services, without a trailing slash."""
        return self.site_api_url.rstrip("/") or self.base_url

    @property
    def site_city_name(self) -> str:
        """Return the city's name. In the sandbox, this is the demo city by default."""
        return self.site_city or (_SANDBOX_CITY if self.profile == "sandbox" else "")

    @property
    def site_telephone(self) -> str:
        """Return the telephone number for every page. In the sandbox, this is the demo city's number by default."""
        return self.site_phone or (_SANDBOX_PHONE if self.profile == "sandbox" else "")

    def refuse_site(self) -> list[str]:
        """Return the reasons why a site must not start in production."""
        refused = {
            "BALCAO_SITE_MACHINE_CLIENT_SECRET tem o valor público de demonstração: defina o do cliente do site.": (
                self.site_machine_client_secret.get_secret_value() == SANDBOX_MACHINE_SECRET
            ),
            "BALCAO_SITE_CITY está vazio: o site mostra o nome da cidade em cada página.": not (
                self.site_city or self.site_folder
            ),
            "BALCAO_SITE_PHONE está vazio: cada página do site diz para onde ligar.": not (
                self.site_phone or self.site_folder
            ),
        }
        of_login = {
            "BALCAO_SITE_CLIENT_SECRET tem o valor público de demonstração: defina o do cliente de Minha página.": (
                self.site_client_secret.get_secret_value() == SANDBOX_CLIENT_SECRET
            ),
            "BALCAO_SITE_KEY não tem 32 bytes aleatórios: use a saída de `openssl rand -base64 32`.": (
                not self.site_keys or any(is_weak_key(key) for key in self.site_keys)
            ),
            "BALCAO_SITE_DATABASE_URL está vazio: Minha página entra no banco com um usuário próprio.": (
                not self.site_database_url
            ),
        }
        refused |= of_login if self.has_site_login else {}
        return [sentence for sentence, applies in refused.items() if applies]
