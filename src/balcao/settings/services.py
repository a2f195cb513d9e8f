"""Settings that only one service reads, such as texts and limits on which a department decides."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, BaseModel, Field, SecretStr

from balcao.settings.types import Csv, split_list

_Words = Annotated[str, Meta(min_length=1, max_length=100)]
Color = Literal["Verde", "Amarelo", "Laranja", "Vermelho"]


class ColorEffects(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a risk colour affects the work of a health unit.

    With `fecha`, the unit counts as closed (rules: health_units 3.1).
    """

    atividades_externas: _Words
    atendimento_interno: _Words
    fecha: bool = False


def parse_risk_effects(text: str) -> dict[Color, ColorEffects]:
    """Parse the effects by colour. Raises ValueError if the string is not a JSON object of effects."""
    try:
        return msgspec.json.decode(text or "{}", type=dict[Color, ColorEffects])
    except msgspec.MsgspecError:
        raise ValueError(
            "use um objeto JSON, de cada cor para `atividades_externas`, `atendimento_interno` e `fecha`"
        ) from None


def _check_risk_effects(text: str) -> str:
    parse_risk_effects(text)
    return text


_NAME = re.compile(r"[a-z0-9_-]{1,40}")


def parse_pairs(csv: str) -> dict[str, str]:
    """Parse entries of the form `name=value`. Raises ValueError if a name is invalid."""
    found = dict(entry.partition("=")[::2] for entry in split_list(csv))
    if not all(map(_NAME.fullmatch, found)):
        raise ValueError("cada entrada é nome=valor; o nome tem letras minúsculas, dígitos, `-` e `_`")
    return found


def _check_risk_sources(text: str) -> str:
    if not all(address.startswith(("http://", "https://")) for address in parse_pairs(text).values()):
        raise ValueError("use nome=https://servidor/caminho, separados por vírgula")
    return text


def _check_risk_source_tokens(tokens: SecretStr) -> SecretStr:
    parse_pairs(tokens.get_secret_value())
    return tokens


class ServiceSettings(BaseModel):
    """The settings that only one service reads."""

    mobility_file_hosts: Csv = "storage.googleapis.com,storage.cloud.google.com"
    mobility_prefix: str = Field("RJ-E-", pattern=r"^[A-Za-z0-9-]{1,20}$")
    mobility_max_vehicles: int = Field(20, ge=0)
    mobility_max_drivers: int = Field(10, ge=0)

    risk_effects: Annotated[str, AfterValidator(_check_risk_effects)] = ""
    risk_portal_clients: Csv = ""
    risk_sources: Annotated[str, AfterValidator(_check_risk_sources)] = ""
    risk_source_tokens: Annotated[SecretStr, AfterValidator(_check_risk_source_tokens)] = SecretStr("")
    webhook_private_addresses: bool = False

    jobs_application_months: int = Field(24, ge=1, le=1200)
    jobs_block_months: int = Field(12, ge=1, le=1200)
    jobs_resume_months: int = Field(60, ge=1, le=1200)
    jobs_mail_days: int = Field(30, ge=1, le=3650)

    @property
    def mobility_hosts(self) -> frozenset[str]:
        """Return the hosts that may store photos of vehicles, in lower case."""
        return frozenset(host.lower() for host in split_list(self.mobility_file_hosts))

    @property
    def risk_portals(self) -> frozenset[str]:
        """Return the clients of portals that keep streams open for many people."""
        return frozenset(split_list(self.risk_portal_clients))
