"""References to recipients in messages to senders (rules: registry 4.17).

Only a sender that has checked a recipient can recognise the reference. A phone number's reference does not depend on
its owner's reference, so the two cannot be connected.
"""

import base64

from balcao.core.context.audit import HashKey
from balcao.core.values.cpf import Cpf

_BYTES = 16


def make_person_reference(key: HashKey, cpf: Cpf) -> str:
    return _make_reference(key, f"cpf:{cpf.digits}")


def make_phone_reference(key: HashKey, number_hash: bytes) -> str:
    """Return the reference for a phone number. `number_hash` is the number's hash in the phone book's entries."""
    return _make_reference(key, f"phone:{number_hash.hex()}")


def _make_reference(key: HashKey, content: str) -> str:
    return base64.urlsafe_b64encode(key.derive("recipient", content)[:_BYTES]).decode().rstrip("=")
