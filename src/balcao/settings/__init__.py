"""All settings: their environment variables, defaults and validation.

Variables have the prefix `BALCAO_`, except `CRM_WEBHOOK_CLIENTS`, whose name is in the specification. The sandbox
profile sets values for its own parts, and the production profile rejects these values.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, SecretStr, ValidationError, model_validator

from balcao.settings import fixed_tokens, production, remembered
from balcao.settings.addresses import reach
from balcao.settings.connections import ConnectionSettings
from balcao.settings.fixed_tokens import FixedToken
from balcao.settings.keys import SANDBOX_HASH_KEY, KeySettings
from balcao.settings.management import ManagementSettings
from balcao.settings.panel import PanelSettings
from balcao.settings.rates import WIDENED, RateSettings, widen_rate
from balcao.settings.services import ServiceSettings
from balcao.settings.site import SiteSettings
from balcao.settings.stores import StoreSettings
from balcao.settings.traces import TraceSettings
from balcao.settings.types import (
    Addresses,
    Csv,
    FixedTokens,
    Hosts,
    MailServer,
    Networks,
    Origins,
    Zone,
    split_clients,
    split_list,
)
from balcao.zones import load_zone

SANDBOX_SECRETS = {
    "client_secret": "sandbox-platform-secret",
    "crm_client_secret": "sandbox-crm-secret",
    "hash_key": SANDBOX_HASH_KEY,
    "phone_code_secret": "sandbox-phone-code-secret",
}
# The sandbox's machine clients. `balcao_sandbox/identity/demo_clients.toml` defines them.
SANDBOX_MACHINES = frozenset(
    "crm-sandbox balcao-platform portal-cidadao portal-servidor painel-saude agentes-runtime envios site".split()
)
# The prefix of the client ids that developers create at the embedded provider.
TEST_CLIENTS = "teste-"


class SettingsError(Exception):
    """The configuration is unusable. The message names the wrong variable and the reason, for the operator."""


_NO_ISSUER = "BALCAO_AUTH_ISSUER está vazio: a produção exige um provedor de identidade."
_SANDBOX_CRM_CLIENT = "crm-sandbox"
_DEMO_STREAM_CLIENT = ("painel-saude", "sandbox-painel-saude-secret")  # client at the embedded provider, for `sms:read`
_DEMO_DOCS_CLIENT = "portal-servidor"  # client whose logins may redirect to any loopback page


class Settings(
    ConnectionSettings,
    RateSettings,
    StoreSettings,
    ServiceSettings,
    KeySettings,
    ManagementSettings,
    TraceSettings,
    PanelSettings,
    SiteSettings,
):
    """The effective configuration of one process. It is immutable."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    data_dir: Path = Path(".balcao")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    time_zone: Zone = "America/Sao_Paulo"

    cors_origins_csv: Origins | None = Field(None, validation_alias="BALCAO_CORS_ORIGINS")

    realm: str = Field("balcao", pattern=r"^[A-Za-z0-9_-]{1,50}$")
    auth_issuer: Addresses = ""
    allow_loopback_issuer: bool = False
    auth_audience: str = Field("account", min_length=1)
    docs_client_id: str = ""
    client_id: str = "balcao-platform"
    client_secret: SecretStr = SecretStr(SANDBOX_SECRETS["client_secret"])
    cpf_claim: str = Field("cpf", min_length=1)
    cpf_from_username: bool = False
    machine_clients_csv: Csv = Field("", validation_alias="BALCAO_MACHINE_CLIENTS")
    access_token_role_clients: Csv = ""
    access_admin_from_token: bool = True
    access_check_networks: Networks = ""
    fixed_service_tokens: FixedTokens = ""
    platform_clients_csv: Csv | None = Field(None, validation_alias="BALCAO_PLATFORM_CLIENTS")
    agent_runtime_clients_csv: Csv | None = Field(None, validation_alias="BALCAO_AGENT_RUNTIME_CLIENTS")
    crm_webhook_clients_csv: Csv | None = Field(None, validation_alias="CRM_WEBHOOK_CLIENTS")
    messenger_clients_csv: Csv = Field("", validation_alias="BALCAO_MESSENGER_CLIENTS")

    legacy_sources: Csv = ""

    require_access_reason: bool = False
    audit_own_reads: bool = False
    audit_retention_days: int = Field(1825, ge=31)
    search_portals_csv: Csv = Field("", validation_alias="BALCAO_SEARCH_PORTALS")

    registry_url_override: Addresses | None = Field(None, validation_alias="BALCAO_REGISTRY_URL")
    crm_url_override: Addresses | None = Field(None, validation_alias="BALCAO_CRM_URL")
    crm_client_id: str = "balcao-crm"
    crm_client_secret: SecretStr = SecretStr(SANDBOX_SECRETS["crm_client_secret"])
    crm_instance_hosts_csv: Hosts = Field("", validation_alias="BALCAO_CRM_INSTANCE_HOSTS")
    crm_api_version: str = Field("v60.0", pattern=r"^v[0-9]{2,3}\.[0-9]$")
    crm_origin_account: str = "Portal"
    crm_channel: str = "Portal"
    crm_field_map: str = ""
    crm_sandbox_client_secret: SecretStr = SecretStr("sandbox-crm-webhook-secret")
    crm_event_queue_max: int = Field(1_000_000, ge=1)
    crm_push: bool = True
    crm_push_attempts: int = Field(300, ge=1, le=1000)

    self_declared_fresh_days: int = Field(180, ge=0, le=36_500)
    jobs_terms_version: str = Field("1", min_length=1, max_length=50)  # after a change, every person must accept again
    jobs_closed_email: bool = False
    phone_code_ttl: int = Field(600, ge=60, le=86_400)
    phone_quarantine_days: int = Field(180, ge=1, le=3_650)
    unsubscribe_days: int = Field(60, ge=30, le=730)
    phone_code_url_override: Addresses | None = Field(None, validation_alias="BALCAO_PHONE_CODE_URL")
    phone_code_secret: SecretStr = SecretStr(SANDBOX_SECRETS["phone_code_secret"])

    agent_default_prompt: str = Field(
        "Você atende pessoas que procuram serviços da prefeitura. Responda em português claro.",
        min_length=1,
        max_length=200_000,
    )
    agent_default_model: str = Field("", max_length=100)
    agent_default_embedding: str = Field("", max_length=100)

    search_migration_lease: float = Field(30, ge=0.5, le=3600)
    search_rollback_hours: int = Field(168, ge=1, le=720)

    smtp_url: MailServer = SecretStr("")
    mail_from: str = Field("nao-responda@localhost", pattern=r"^[^@\s]+@[^@\s]+$")

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, *, finds_trial: bool = False) -> "Settings":
        """Load the settings from the environment, or from the given mapping.

        If the environment sets neither a port nor a database, a sandbox uses the port that is stored in its data
        folder. With `finds_trial`, also search for the data folder of a running trial (`list_places`). A given mapping
        is used unchanged.

        Raises SettingsError, with the names of the variables, if a value is invalid, or if a variable is set without
        another variable that it requires.
        """
        known = {variable_of(field): field for field in cls.model_fields}
        given = os.environ if environment is None else environment
        fields = {known[name]: value for name, value in given.items() if name in known}
        if environment is None:
            folder = cls.model_fields["data_dir"].default
            fields = remembered.add_port(remembered.add_trial(fields, folder) if finds_trial else fields, folder)
        try:
            settings = cls.model_validate(fields)
        except ValidationError as error:
            raise SettingsError(_explain(error)) from None
        for name in ("database_owner_url", "database_read_url"):
            if getattr(settings, name) and not settings.database_url:
                raise SettingsError(f"{variable_of(name)} só vale junto com BALCAO_DATABASE_URL, o dos serviços.")
        if settings.files_s3_url and not (settings.files_s3_key_id and settings.files_s3_secret.get_secret_value()):
            raise SettingsError("BALCAO_FILES_S3_URL exige BALCAO_FILES_S3_KEY_ID e BALCAO_FILES_S3_SECRET.")
        return settings

    @model_validator(mode="after")
    def _widen_rates(self) -> "Settings":
        for name in WIDENED - self.model_fields_set if self.sandbox else ():
            object.__setattr__(self, name, widen_rate(getattr(self, name)))
        return self

    @property
    def sandbox(self) -> bool:
        """Return whether the sandbox profile is active."""
        return self.profile == "sandbox"

    @property
    def zone(self) -> ZoneInfo:
        """Return the city's time zone."""
        return load_zone(self.time_zone)

    @property
    def metrics_urls(self) -> tuple[str, ...]:
        """Return the metrics addresses on this machine: `balcao serve`, and a worker that has its own port."""
        if self.management_port is None:
            return (f"http://{reach(self.host)}:{self.port}/metrics",)
        ports = dict.fromkeys(port for port in (self.management_port, self.worker_management_port) if port)
        return tuple(f"http://{reach(self.management_host)}:{port}/metrics" for port in ports)

    @property
    def panel_stream_client(self) -> tuple[str, str] | None:
        """Return the id and secret of the client that streams changes to the panel.

        Without the client, the panel's boards poll.
        """
        if self.panel_stream_client_id:
            return self.panel_stream_client_id, self.panel_stream_client_secret.get_secret_value()
        return _DEMO_STREAM_CLIENT if self.embedded_identity else None

    @property
    def docs_client(self) -> str:
        """Return the public client for logins on the API pages. If this is empty, the pages offer no login."""
        return self.docs_client_id or (_DEMO_DOCS_CLIENT if self.embedded_identity else "")

    @property
    def has_panel(self) -> bool:
        """Return whether `balcao serve` includes the panel. By default, it does so only in the sandbox."""
        return self.sandbox if self.panel is None else self.panel

    @property
    def embedded_identity(self) -> bool:
        """Return whether this process serves our own identity provider."""
        return not self.auth_issuer

    @property
    def sandbox_crm(self) -> bool:
        """Return whether this process serves the sandbox CRM."""
        return self.sandbox and self.crm_url_override is None

    @property
    def issuers(self) -> tuple[str, ...]:
        """Return the accepted token issuers."""
        return split_list(self.auth_issuer) or (f"{self.base_url}/auth/realms/{self.realm}",)

    @property
    def registry_url(self) -> str:
        """Return the versioned address at which other services call the registry.

        If the setting is empty, return an empty string, which disables these calls.
        """
        override = self.registry_url_override
        return f"{self.base_url}/registry/v1" if override is None else override.rstrip("/")

    @property
    def crm_port(self) -> int:
        """Return the port of the sandbox CRM."""
        return self.port + 1

    @property
    def crm_url(self) -> str:
        """Return the CRM's address, or an empty string if no CRM is configured."""
        if self.sandbox_crm:
            return f"http://127.0.0.1:{self.crm_port}"
        return (self.crm_url_override or "").rstrip("/")

    @property
    def crm_configured(self) -> bool:
        """Return whether all settings for calls to the CRM have values."""
        return bool(self.crm_url and self.crm_client_id and self.crm_client_secret.get_secret_value())

    @property
    def trial_mailbox_url(self) -> str:
        """Return the address of the trial's mailbox for phone codes.

        Return an empty string without the sandbox CRM, or if a gateway is configured.
        """
        return f"{self.crm_url}/_sandbox/codes" if self.sandbox_crm and self.phone_code_url_override is None else ""

    @property
    def phone_code_url(self) -> str:
        """Return the address to which phone codes are posted: the trial's mailbox or the city's gateway.

        Return an empty string if there is no such address.
        """
        return self.trial_mailbox_url or self.phone_code_url_override or ""

    @property
    def cors_origins(self) -> tuple[str, ...]:
        """Return the configured origins whose pages may call the platform."""
        return split_list(self.cors_origins_csv or "")

    @property
    def cors_loopback(self) -> bool:
        """Return whether pages on the local machine may call us: only in the sandbox, unless origins are configured."""
        return self.sandbox and self.cors_origins_csv is None

    def declared_rate(self, rate: str) -> str:
        """Return the effective value of a default rate from the code. Do not pass a rate that an operator has set."""
        return widen_rate(rate) if self.sandbox else rate

    @property
    def default_rates(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the default rates by kind of operation, for people and for machines."""
        return (
            {"read": self.read_rate, "write": self.write_rate, "crm": self.crm_rate},
            {"read": self.machine_read_rate, "write": self.machine_write_rate, "crm": self.machine_crm_rate},
        )

    @property
    def crm_instance_hosts(self) -> frozenset[str]:
        """Return the additional hosts to which the CRM's token response may direct calls, in lower case."""
        return frozenset(host.lower() for host in split_list(self.crm_instance_hosts_csv))

    @property
    def client_lists(self) -> Mapping[str, frozenset[str]]:
        """Return the client ids in each configured list, by the list's name in rules of the form `client:NAME`."""
        return {
            "CRM_WEBHOOK_CLIENTS": self._clients(self.crm_webhook_clients_csv, _SANDBOX_CRM_CLIENT),
            "BALCAO_PLATFORM_CLIENTS": self._clients(self.platform_clients_csv, "balcao-platform"),
            "BALCAO_AGENT_RUNTIME_CLIENTS": self._clients(self.agent_runtime_clients_csv, "agentes-runtime"),
            "BALCAO_MESSENGER_CLIENTS": frozenset(split_list(self.messenger_clients_csv)),
        }

    @property
    def search_portals(self) -> frozenset[str]:
        """Return the network addresses of portals that search on behalf of many people."""
        return frozenset(split_list(self.search_portals_csv))

    @property
    def legacy_source_names(self) -> list[str]:
        """Return the legacy systems whose service numbers can be mapped, in addition to the two built-in systems."""
        return [name.strip() for name in self.legacy_sources.split(",") if name.strip()]

    @property
    def machine_clients(self) -> frozenset[str]:
        """Return the clients that may call without a person. By default, these are the demo clients in the sandbox."""
        named = split_clients(self.machine_clients_csv)
        if named is None:
            return SANDBOX_MACHINES if self.sandbox else frozenset()
        return named

    @property
    def test_clients(self) -> str:
        """Return the id prefix of developers' clients, which may be machines too.

        Return an empty string without the embedded provider.
        """
        return TEST_CLIENTS if self.embedded_identity else ""

    @property
    def fixed_tokens(self) -> tuple[FixedToken, ...]:
        """Return the fixed service tokens, read now from the setting or its file."""
        return fixed_tokens.parse_setting(self.fixed_service_tokens, datetime.now(UTC).date())

    @property
    def role_clients(self) -> frozenset[str] | None:
        """Return the clients whose `resource_access` roles count, or None if all clients' roles count."""
        return split_clients(self.access_token_role_clients)

    def _clients(self, csv: str | None, in_sandbox: str) -> frozenset[str]:
        if csv is None:
            return frozenset({in_sandbox}) if self.sandbox else frozenset()
        return frozenset(split_list(csv))

    def list_refusals(self, *, with_worker: bool = False) -> list[str]:
        """Return the reasons why a production process must not start.

        With `with_worker`, check the worker's requirements too.
        """
        if self.sandbox:
            return []
        unused = {"crm_client_secret": not self.crm_url, "phone_code_secret": not self.phone_code_url}
        secrets = [
            f"BALCAO_{name.upper()} tem o valor público de demonstração: defina um segredo próprio."
            for name, public in SANDBOX_SECRETS.items()
            if getattr(self, name).get_secret_value() == public and not unused.get(name)
        ]
        parts = {
            "BALCAO_DATABASE_URL está vazio: a produção exige um PostgreSQL próprio.": self.embedded_database,
            _NO_ISSUER: self.embedded_identity,
            "BALCAO_MACHINE_CLIENTS está vazio: liste os clientes que chamam sem uma pessoa, ou escreva `none`.": (
                not split_list(self.machine_clients_csv)
            ),
            "BALCAO_ACCESS_TOKEN_ROLE_CLIENTS está vazio: liste os clientes cujos papéis valem, ou escreva `none`.": (
                self.role_clients is None
            ),
            "BALCAO_DATABASE_OWNER_URL está vazio: o worker apaga, como dono das tabelas, o que passou do prazo.": (
                with_worker and not self.database_owner_url
            ),
            "BALCAO_HASH_KEY não tem 32 bytes aleatórios: use a saída de `openssl rand -base64 32`.": (
                production.is_weak_key(self.hash_key.get_secret_value())
            ),
            f"CRM_WEBHOOK_CLIENTS nomeia {_SANDBOX_CRM_CLIENT}, o cliente do CRM de demonstração.": (
                _SANDBOX_CRM_CLIENT in self.client_lists["CRM_WEBHOOK_CLIENTS"]
            ),
            "BALCAO_WEBHOOK_PRIVATE_ADDRESSES só vale na demonstração: retire-o.": self.webhook_private_addresses,
        }
        refused = [sentence for sentence, applies in parts.items() if applies]
        issuers = self._refuse_issuers()
        issuers += self.refuse_panel() if self.has_panel else []
        issuers += self.refuse_site() if self.has_site else []
        return [*secrets, *refused, *issuers, *production.refuse_sandbox_crm(self.crm_url, self.crm_port)]

    def list_surface_refusals(self, surface: str) -> list[str]:
        """Return the reasons why a separate production panel or site must not start.

        Only its own settings are checked.
        """
        if self.sandbox:
            return []
        missing = [_NO_ISSUER] if self.embedded_identity else []
        own = self.refuse_panel() if surface == "panel" else self.refuse_site()
        return [*missing, *self._refuse_issuers(), *own]

    def _refuse_issuers(self) -> list[str]:
        return production.refuse_issuers(split_list(self.auth_issuer), allow_loopback=self.allow_loopback_issuer)


def variable_of(field: str) -> str:
    """Return the name of the environment variable that sets a field."""
    alias = Settings.model_fields[field].validation_alias
    return str(alias) if alias else f"BALCAO_{field.upper()}"


def _explain(error: ValidationError) -> str:
    from balcao.portuguese import translate_fault  # import this only for an invalid configuration

    return "\n".join(f"{_variable_at(str(fault['loc'][0]))}: {translate_fault(fault)}." for fault in error.errors())


def _variable_at(place: str) -> str:
    """Return the name of the invalid variable. If the field has an alias, `place` is already the variable's name."""
    return variable_of(place) if place in Settings.model_fields else place
