"""Translate the keys of `dados` and `cidadao` to the CRM's fields and back, with a configurable map."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from balcao.settings import SettingsError

Record = Mapping[str, Any]

# The lists that a person's CRM export contains in addition to the account. It contains no list for the progress of
# service orders.
RELATED = ("protocolos", "ligacoes", "ordensServico")
PROGRESS = "andamentos"
_SECTIONS = ("account", "name", "address", "consent")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")  # queries contain these names without escaping
_NOT_IN_CIDADAO = frozenset({"contaOrigem"})
_READ_ONLY = frozenset({"accountId", "cpf"})


@dataclass(frozen=True)
class FieldMap:
    """The map from our keys to the CRM's field names, divided into sections."""

    account: Mapping[str, str]
    name: Mapping[str, str]
    address: Mapping[str, str]
    consent: Mapping[str, str]
    related: Mapping[str, Mapping[str, str]]

    @classmethod
    def load(cls, replacing: Path | None = None) -> Self:
        """Load the default map. Entries of an optional TOML file with the same structure override it.

        Raises SettingsError if the file cannot be read or an entry is not valid.
        """
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
        """The CRM's field names that a look-up of an account selects."""
        wanted = [field for key, field in self.account.items() if key not in _NOT_IN_CIDADAO]
        return sorted({*wanted, *self.address.values()})

    @property
    def consent_fields(self) -> list[str]:
        """The CRM's field names for a consent."""
        return sorted(self.consent.values())

    def to_cidadao(self, account: Record, consents: Iterable[Record]) -> dict[str, Any]:
        """Return the `cidadao` object that the specification defines.

        Members without a value are omitted, except `nome`, `isTourist`, `endereco` and the lists.
        """
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
        """Return the account keys for these CRM fields. Unknown fields are ignored."""
        keys = {field: key for key, field in self.account.items()} | dict.fromkeys(self.name.values(), "nome")
        return {keys[name] for name in names if name in keys}

    def to_crm(self, dados: Record) -> dict[str, Any]:
        """Convert these keys to the CRM fields and values to write.

        Null and the empty string clear a field, and set `isTourist` to false. Raises KeyError for a key that is never
        written.
        """
        written: dict[str, Any] = {}
        for key, value in dados.items():
            match key:
                case "nome":
                    # Treat a single word as the family name, because the CRM requires one.
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
        """Convert written CRM fields to the `dados` of an event that the CRM would send for this change."""
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
        """Return every mirrored key of `dados` for a complete account record, with null for missing values.

        `cidade` and `complemento` are members of the address and also separate keys, so they are returned in both
        places.
        """
        dados = self.from_crm(account)
        address = dados["endereco"]
        return dados | {
            "accountId": account[self.account["accountId"]],
            "cidade": address["cidade"],
            "complemento": address["complemento"],
        }


def pick_known(section: Mapping[str, str], record: Record) -> dict[str, str]:
    """Return the record's fields that have a value, under our keys."""
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
