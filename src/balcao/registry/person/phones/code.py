"""The code that is sent to a phone: drawn, hashed for the comparison, sealed for the way to its sender."""

import secrets
from dataclasses import dataclass

from joserfc import jwe
from joserfc.jwk import OctKey

from balcao.core.context.audit import HashKey
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones.number import Number

DIGITS = 6
_SEAL = {"alg": "dir", "enc": "A256GCM"}


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

    def seal(self, code: str) -> str:
        return jwe.encrypt_compact(_SEAL, code, self._sealing_key)

    def unseal(self, sealed: str) -> str:
        """Open a sealed code. Raises JoseError for what was sealed by another key."""
        content = jwe.decrypt_compact(sealed, self._sealing_key).plaintext
        return (content or b"").decode()

    @property
    def _sealing_key(self) -> OctKey:
        return OctKey.import_key(self.key.derive("phone-seal"))
