"""Wire types of the mirror as it stands (rules: registry 2.9)."""

from datetime import datetime

import msgspec

from balcao.registry.mirror.store import HeldConsent
from balcao.registry.mirror.writes import Value


class MirroredField(msgspec.Struct):
    """`effective` tells whether the citizen's record shows it; a cleared one has the value null."""

    name: str
    value: Value
    updated_at: datetime
    origin: str
    effective: bool


class CrmMirror(msgspec.Struct):
    cpf: str
    anonymised_at: datetime | None
    consents_cleared_at: datetime | None
    fields: list[MirroredField]
    crm_consentimentos: list[HeldConsent]
