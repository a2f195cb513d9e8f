"""Reads the remedies of the platform's error codes from the `errors.toml` of each package."""

import tomllib

from clients.generator.documents import ROOT, SERVICES

PACKAGES = ROOT / "src" / "balcao"


def read_remedies() -> dict[str, dict[str, str]]:
    """Return the remedies by code for each service, and for the packages `core` and `crm`, which all services use."""
    return {name: _read_remedies(name) for name in (*SERVICES, "core", "crm")}


def _read_remedies(package: str) -> dict[str, str]:
    path = PACKAGES / package / "errors.toml"
    entries = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    return {code: entries[code]["fix"] for code in sorted(entries)}
