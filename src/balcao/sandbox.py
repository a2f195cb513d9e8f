"""Load the trial, a separate distribution with demo data and embedded parts. It is used only in the sandbox profile.

The parts are found by entry point. No module of `balcao` imports them (ADR 0011), so a production installation does not
need them.
"""

import os
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from balcao.settings import Settings

GROUP = "balcao.sandbox"
NOT_INSTALLED = (
    "A base de demonstração (BALCAO_PROFILE=sandbox, que vale sem outro valor) não está instalada: instale o pacote "
    "balcao-sandbox, que está em src/balcao_sandbox do repositório (`make run` instala tudo), ou defina "
    "BALCAO_PROFILE=production, com um PostgreSQL e um provedor de identidade próprios."
)


def require_trial(settings: "Settings") -> None:
    """Raise SettingsError in the sandbox profile if the trial is not installed."""
    from balcao.settings import SettingsError  # slow import that listing the commands does not need

    if settings.sandbox and not find_parts():
        raise SettingsError(NOT_INSTALLED)


def load(settings: "Settings", name: str) -> Any:
    """Load a part of the trial. Raises SettingsError in production and if the trial is not installed.

    In production, parts are requested only if the settings use embedded parts, which production rejects.
    """
    from balcao.settings import SettingsError

    if not settings.sandbox:
        raise SettingsError("\n".join(settings.list_refusals()))
    require_trial(settings)
    return find_parts()[name].load()


def load_installed(name: str, default: Any) -> Any:
    """Load a part before the settings are loaded. Return `default` in production and if the trial is not installed."""
    is_sandbox = os.environ.get("BALCAO_PROFILE", "sandbox") == "sandbox"
    return find_parts()[name].load() if is_sandbox and find_parts() else default


@cache
def find_parts() -> dict[str, EntryPoint]:
    """Return the trial's parts by name. The dictionary is empty if the trial is not installed."""
    return {part.name: part for part in entry_points(group=GROUP)}
