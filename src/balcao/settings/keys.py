"""Settings for the keys with which people's identifiers are hashed: the current key and former keys."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, SecretStr

from balcao.settings.types import split_list

SANDBOX_HASH_KEY = "sandbox-hash-key"
HIGHEST_NUMBER = 32767


def parse_numbered_keys(csv: str) -> dict[int, str]:
    """Parse `number=key` entries. Raises ValueError for an invalid entry or a repeated number."""
    entries = [entry.partition("=")[::2] for entry in split_list(csv)]
    if not all(
        number.isascii() and number.isdigit() and 1 <= int(number[:6]) <= HIGHEST_NUMBER for number, _ in entries
    ):
        raise ValueError(f"cada entrada é número=chave, com número de 1 a {HIGHEST_NUMBER}")
    found = {int(number): key for number, key in entries}
    if len(found) < len(entries) or any(len(key) < 8 for key in found.values()):
        raise ValueError("cada número vem uma vez, com a sua chave inteira")
    return found


def _check_numbered_keys(keys: SecretStr) -> SecretStr:
    parse_numbered_keys(keys.get_secret_value())
    return keys


class KeySettings(BaseModel):
    """The keys with which the audit trail hashes people's identifiers."""

    hash_key: SecretStr = Field(SecretStr(SANDBOX_HASH_KEY), min_length=8)
    hash_key_number: int = Field(1, ge=1, le=HIGHEST_NUMBER)
    former_hash_keys: Annotated[SecretStr, AfterValidator(_check_numbered_keys)] = SecretStr("")

    @property
    def former_keys(self) -> dict[int, str]:
        """Return the former keys by number, without the current key."""
        found = parse_numbered_keys(self.former_hash_keys.get_secret_value())
        return {number: key for number, key in found.items() if number != self.hash_key_number}
