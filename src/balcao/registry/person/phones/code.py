"""The code that is sent to a phone: drawn, hashed for the comparison, sealed for the way to its sender."""

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
    """Draw a code from the system's secure source; every code is as likely as every other."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"


@dataclass(frozen=True)
class Secrets:
    """What the platform's hash key makes of codes, numbers and citizens, each for its own purpose."""

    key: HashKey

    def hash_code(self, verification: str, code: str) -> bytes:
        """Hash the code bound to its verification: equal codes have different hashes."""
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
    """Open a code that was sealed by one of the keys. Raises JoseError."""
    return sealing.unseal_text(keys, _SEAL, sealed)


def is_code(keys: Sequence[HashKey], verification: str, code: str, code_hash: bytes) -> bool:
    """Return whether this is the code of the verification, by any key that may have been in use when it was sent."""
    hashes = [Secrets(key).hash_code(verification, code) for key in keys]
    return any(hmac.compare_digest(hashed, code_hash) for hashed in hashes)
