"""The code that is sent to a phone. It is random.

A hash is stored for comparison, and the sealed code until it is delivered.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from balcao.core.context import sealing
from balcao.core.context.audit import HashKey
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones.number import Number

DIGITS = 6
_SEAL = "phone-seal"


def draw_code() -> str:
    """Draw a random code from the system's secure source. All codes are equally likely."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"


@dataclass(frozen=True)
class Secrets:
    """Hashes codes, numbers and citizens, and seals codes. Each purpose has its own derived key."""

    key: HashKey

    def hash_code(self, verification: str, code: str) -> bytes:
        """Hash the code together with its verification, so that equal codes have different hashes."""
        return self.key.derive("phone-code", f"{verification}:{code}")

    def hash_number(self, number: Number) -> bytes:
        return self.key.derive("phone-number", number.digits)

    def hash_citizen(self, cpf: Cpf) -> bytes:
        return self.key.derive("phone-citizen", cpf.digits)

    def hash_pair(self, cpf: Cpf, number: Number) -> bytes:
        return self.key.derive("phone-pair", f"{cpf.digits}:{number.digits}")

    def seal(self, code: str) -> str:
        return sealing.seal_text(self.key, _SEAL, code)


def unseal_code(keys: Sequence[HashKey], sealed: str) -> str:
    """Open a sealed code with one of the keys. Raises JoseError if no key opens it."""
    return sealing.unseal_text(keys, _SEAL, sealed)


def is_code(keys: Sequence[HashKey], verification: str, code: str, code_hash: bytes) -> bool:
    """Return whether the code matches the verification's hash under one of the keys.

    Older keys are tried because the key may have been rotated since.
    """
    hashes = [Secrets(key).hash_code(verification, code) for key in keys]
    return any(hmac.compare_digest(hashed, code_hash) for hashed in hashes)
