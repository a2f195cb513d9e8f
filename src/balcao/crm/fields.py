"""Translates between the keys of `dados`/`cidadao` and the fields of the CRM, by a map that is data."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from balcao.settings import SettingsError

Record = Mapping[str, Any]

# What an export of the CRM lists beside the account; the progress of an order is no list of its own there.
RELATED = ("protocolos", "ligacoes", "ordensServico")
PROGRESS = "andamentos"
_SECTIONS = ("account", "name", "address", "consent")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")  # they stand in queries
_NOT_IN_CIDADAO = frozenset({"contaOrigem"})
_READ_ONLY = frozenset({"accountId", "cpf"})


@dataclass(frozen=True)
class FieldMap:
    """Each section maps our key to the CRM's field name."""

    account: Mapping[str, str]
    name: Mapping[str, str]
    address: Mapping[str, str]
    consent: Mapping[str, str]
    related: Mapping[str, Mapping[str, str]]

    @classmethod
    def load(cls, replacing: Path | None = None) -> Self:
        """Load the default map, with the names of a TOML file of the same form in place. Raises SettingsError."""
        default = tomllib.loads(files(__package__).joinpath("field_map.toml").read_text("utf-8"))
        replacements = _read(replacing) if replacing else {}
        _check(default, replacements)
        names = {section: default[section] | replacements.get(section, {}) for section in default}
        return cls(
            **{section: names[section] for section in _SECTIONS},
            related={kind: names[kind] for kind in (*RELATED, PROGRESS)},
        )

    @property
    def account_fields(self) -> list[str]:
        """Return the CRM's fields that a look-up asks for."""
        wanted = [field for key, field in self.account.items() if key not in _NOT_IN_CIDADAO]
        return sorted({*wanted, *self.address.values()})

    @property
    def consent_fields(self) -> list[str]:
        """Return the CRM's fields of a consent."""
        return sorted(self.consent.values())

    def to_cidadao(self, account: Record, consents: Iterable[Record]) -> dict[str, Any]:
        """Return the specification's object: texts that the CRM does not have are left out, arrays are always there."""
        texts = {
            key: str(account[field])
            for key, field in self.account.items()
            if key not in _NOT_IN_CIDADAO and account.get(field) not in (None, "")
        }
        return texts | {
            "consentimento": [pick_known(self.consent, record) for record in consents],
            "endereco": pick_known(self.address, account),
            "idioma": [word for word in texts.get("idioma", "").split(";") if word],
            "isTourist": account.get(self.account["isTourist"]) is True,
            "nome": texts.get("nome", ""),
        }

    def find_keys(self, names: Iterable[str]) -> set[str]:
        """Return the keys of the account that these fields of the CRM are written by."""
        keys = {field: key for key, field in self.account.items()} | dict.fromkeys(self.name.values(), "nome")
        return {keys[name] for name in names if name in keys}

    def to_crm(self, dados: Record) -> dict[str, Any]:
        """Return the fields that write these keys; null and the empty text clear.

        Raises KeyError for a key that is never written.
        """
        written: dict[str, Any] = {}
        for key, value in dados.items():
            match key:
                case "nome":
                    # A single word is the family name, which the CRM requires.
                    first, _, last = value.strip().partition(" ")
                    written |= {self.name["first"]: first if last else None, self.name["last"]: last.strip() or first}
                case "endereco":
                    written |= {self.address[part]: text or None for part, text in value.items()}
                case "idioma":
                    written[self.account[key]] = ";".join(value or []) or None
                case "isTourist":
                    written[self.account[key]] = bool(value)
                case _ if key in _READ_ONLY:
                    raise KeyError(key)
                case _:
                    written[self.account[key]] = value or None
        return written

    def from_crm(self, written: Record) -> dict[str, Any]:
        """Return the keys of `dados` for fields that were written: what a CRM sends back of a change."""
        parts = {key: written[field] for key, field in self.address.items() if field in written}
        texts = {
            key: written[field]
            for key, field in self.account.items()
            if field in written and field not in self.address.values() and key not in _NOT_IN_CIDADAO | _READ_ONLY
        }
        if texts.get("idioma"):
            texts["idioma"] = texts["idioma"].split(";")
        return texts | ({"endereco": parts} if parts else {})

    def to_dados(self, account: Record) -> dict[str, Any]:
        """Return every key of `dados` that is mirrored, from a whole account: null for what the CRM has no value for.

        The two parts of an address that may also stand outside it are given in both places.
        """
        dados = self.from_crm(account)
        address = dados["endereco"]
        return dados | {
            "accountId": account[self.account["accountId"]],
            "cidade": address["cidade"],
            "complemento": address["complemento"],
        }


def pick_known(section: Mapping[str, str], record: Record) -> dict[str, str]:
    """Return our keys of the fields that the record has a value for."""
    return {key: str(record[field]) for key, field in section.items() if record.get(field) not in (None, "")}


def _read(path: Path) -> dict[str, dict[str, str]]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        raise SettingsError("BALCAO_CRM_FIELD_MAP: o arquivo não pode ser lido ou não é TOML válido.") from None


def _check(default: Mapping[str, Any], replacements: Mapping[str, Any]) -> None:
    for section, names in replacements.items():
        if section not in default or not isinstance(names, dict):
            raise SettingsError(f"BALCAO_CRM_FIELD_MAP: a seção `{section}` não existe.")
        for key, field in names.items():
            if key not in default[section] or not isinstance(field, str) or not _NAME.fullmatch(field):
                raise SettingsError(f"BALCAO_CRM_FIELD_MAP: `{section}.{key}` não existe ou não é um nome de campo.")
