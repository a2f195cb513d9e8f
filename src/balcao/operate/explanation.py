"""Explain each setting from its declaration: what it does, its value, and where the value comes from."""

import asyncio
import difflib
import hashlib
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MethodType
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from pydantic import SecretStr

from balcao.core.access.live import RATE, Change, list_live_changes
from balcao.core.context.platform import make_database
from balcao.core.database.faults import StatementRefused
from balcao.core.errors import Unavailable
from balcao.operate.database import find_embedded
from balcao.operate.deploy.gateways import READ_SETTINGS
from balcao.operate.deploy.production import parse_settings
from balcao.operate.faults import OperatorFault
from balcao.operate.masking import mask_value
from balcao.operate.unknown_variables import UnknownVariable, list_unknown_variables
from balcao.settings import SANDBOX_SECRETS, Settings, remembered, variable_of
from balcao.settings.rates import WIDENED

Source = Literal["environment", "file", "remembered", "derived", "default"]


class Secret(msgspec.Struct, frozen=True):
    """A description of a secret, without its value.

    `fingerprint` is equal on two machines if they have the same hash key and the same secret.
    """

    is_set: bool = msgspec.field(name="set")
    length: int
    fingerprint: str
    is_public: bool = msgspec.field(name="public")


class Live(msgspec.Struct, frozen=True):
    """A rate that an operator has set instead of the configured rate. `until` is None if the change has no end."""

    rate: str
    until: Any
    by: str


class Explanation(msgspec.Struct, frozen=True):
    """The explanation of a setting. `value` and `default` are null for a secret. Passwords in addresses are masked.

    `source` is the kind of place that sets the value. `origin` is the file, or the settings from which the value is
    derived. `empty` describes the effect of an empty value. `affects` are the settings whose values are now derived
    from this setting.
    """

    variable: str
    text: str
    value: Any
    source: Source
    origin: list[str]
    default: Any
    empty: str | None
    secret: Secret | None
    affects: list[str]
    in_gateway: bool
    live: Live | None


class Explained(NamedTuple):
    """The explained settings, and unknown variables with our prefix.

    `zone` is the time zone in which times are shown.
    """

    settings: list[Explanation]
    unknown: list[UnknownVariable]
    zone: ZoneInfo


# How to compute the effective value of a setting that is empty and derived from other settings.
_DERIVED: Mapping[str, Callable[[Any], Any]] = {
    "public_url": lambda settings: settings.base_url,
    "server_urls_csv": lambda settings: ", ".join(settings.server_urls) or settings.base_url,
    "auth_issuer": lambda settings: ", ".join(settings.issuers),
    "docs_client_id": lambda settings: settings.docs_client,
    "registry_url_override": lambda settings: settings.registry_url,
    "crm_url_override": lambda settings: settings.crm_url,
    "phone_code_url_override": lambda settings: settings.phone_code_url,
    "database_owner_url": lambda settings: settings.owner_url(settings.database_url),
    "backup_url": lambda settings: settings.find_backup_url(settings.database_url),
    "crm_webhook_clients_csv": lambda settings: _join(settings.client_lists["CRM_WEBHOOK_CLIENTS"]),
    "platform_clients_csv": lambda settings: _join(settings.client_lists["BALCAO_PLATFORM_CLIENTS"]),
    "agent_runtime_clients_csv": lambda settings: _join(settings.client_lists["BALCAO_AGENT_RUNTIME_CLIENTS"]),
}


def explain_settings(name: str, files_of_variables: Sequence[Path]) -> Explained:
    """Explain the setting with this name, or all settings whose names contain it. An empty name means all.

    The environment takes precedence over the files. Raises OperatorFault if no setting matches.
    """
    chosen = choose_variables(name)
    if not chosen:
        close = difflib.get_close_matches(name.upper(), map(variable_of, Settings.model_fields), 1, 0.5)
        raise OperatorFault(f"Não há variável {name}" + (f": quis dizer {close[0]}?" if close else "."))
    read = {str(path): parse_settings(_read(path)) for path in files_of_variables}
    in_files = {variable: path for path, variables in read.items() for variable in variables}
    given = {variable: value for variables in read.values() for variable, value in variables.items()}
    settings = Settings.load({**given, **os.environ} if given else None)
    found = explain_variables(settings, os.environ, in_files, asyncio.run(_list_changes(settings)))
    unknown = list_unknown_variables({*os.environ, *given})
    return Explained([one for one in found if one.variable in chosen], unknown, settings.zone)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise OperatorFault(f"{path} não é um arquivo de texto em UTF-8.") from None


async def _list_changes(settings: Settings) -> list[Change]:
    """Return the live changes.

    Return none if the database is down or rejects the query, as before its first migration.
    """
    url = settings.database_url
    if settings.embedded_database:
        embedded = await asyncio.to_thread(find_embedded, settings)
        if embedded is None:
            return []
        url = embedded
    database = make_database(settings, url)
    try:
        await database.open()
        async with database.connection() as connection:
            return await list_live_changes(connection)
    except (Unavailable, StatementRefused):
        return []
    finally:
        await database.close()


def explain_variables(
    settings: Settings,
    environment: Mapping[str, str],
    in_files: Mapping[str, str],
    changes: Iterable[Change] = (),
) -> list[Explanation]:
    """Explain every setting. `in_files` maps variables to their files. The environment takes precedence over files."""
    texts, empty = _read_texts()
    live = {change.name: Live(change.value, change.ends_at, change.author) for change in changes if change.kind == RATE}
    reads = {field: _find_read(settings, derive) for field, derive in _DERIVED.items()}
    found = {}
    for field in Settings.model_fields:
        variable, value = variable_of(field), getattr(settings, field)
        source, origin = _find_source(settings, field, environment, in_files)
        if source == "default" and not _is_filled(value) and field in _DERIVED:
            value = _DERIVED[field](settings)
            if _is_filled(value):
                source, origin = "derived", sorted(variable_of(name) for name in reads[field] - {field})
        secret = _describe_secret(settings, field, value) if isinstance(value, SecretStr) else None
        found[variable] = Explanation(
            variable=variable,
            text=texts[variable],
            value=None if secret else mask_value(value),
            source=source,
            origin=origin,
            default=None if secret else mask_value(_find_default(settings, field)),
            empty=empty.get(variable),
            secret=secret,
            affects=sorted(variable_of(other) for other, read in reads.items() if field in read and other != field),
            in_gateway=field in READ_SETTINGS,
            live=live.get(variable),
        )
    return [found[variable] for variable in texts]


def choose_variables(name: str) -> list[str]:
    """Return the variable with this name, otherwise all variables that contain it. The list may be empty."""
    known = [variable_of(field) for field in Settings.model_fields]
    wanted = name.upper()
    exact = [variable for variable in known if variable in {wanted, f"BALCAO_{wanted}"}]
    return exact or [variable for variable in known if wanted in variable]


@cache
def _read_texts() -> tuple[dict[str, str], dict[str, str]]:
    known = tomllib.loads((files("balcao.settings") / "descriptions.toml").read_text("utf-8"))
    return known["texts"], known["empty"]


def _find_source(
    settings: Settings, field: str, environment: Mapping[str, str], in_files: Mapping[str, str]
) -> tuple[Source, list[str]]:
    variable = variable_of(field)
    if variable in environment:
        return "environment", []
    if variable in in_files:
        return "file", [in_files[variable]]
    if field == "port" and settings.port != Settings.model_fields["port"].get_default():
        return "remembered", [str(remembered.file_in(settings.data_dir))]
    return "default", []


def _find_default(settings: Settings, field: str) -> Any:
    default = Settings.model_fields[field].get_default()
    return settings.declared_rate(default) if field in WIDENED else default


def _is_filled(value: Any) -> bool:
    return value not in {None, ""}


def _describe_secret(settings: Settings, field: str, value: SecretStr) -> Secret:
    """Describe a secret so that an operator can compare it between machines.

    The fingerprint is a 24-bit digest, keyed with the installation's hash key.
    """
    text = value.get_secret_value()
    # BLAKE2b accepts keys of at most 64 bytes.
    key = settings.hash_key.get_secret_value().encode()[:64]
    digest = hashlib.blake2b(text.encode(), key=key, digest_size=3, person=b"config-explain").hexdigest()
    is_public = text in {SANDBOX_SECRETS.get(field), Settings.model_fields[field].get_default().get_secret_value()}
    return Secret(bool(text), len(text), digest if text else "", bool(text) and is_public)


def _join(names: frozenset[str]) -> str:
    return ",".join(sorted(names))


class _Recorder(NamedTuple):
    """A stand-in for `Settings` that records which settings a property or method reads."""

    settings: Settings
    read: set[str]

    def __getattr__(self, name: str) -> Any:
        if name in Settings.model_fields:
            self.read.add(name)
            return getattr(self.settings, name)
        member = getattr(Settings, name)
        if isinstance(member, property):
            assert member.fget
            return member.fget(self)
        return MethodType(member, self)


def _find_read(settings: Settings, derive: Callable[[Any], Any]) -> set[str]:
    """Return the settings from which a derived value is computed now. With other values, other settings may be read."""
    recorder = _Recorder(settings, set())
    derive(recorder)
    return recorder.read
