"""The wallet as personal data: it is the city's, imported, and never erased here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from balcao.core.audit.personal_data import ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.wallet.schemas import ImportedWallet
from balcao.registry.person.wallet.service import read_imported_wallet


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    return {"carteira": msgspec.to_builtins(await read_imported_wallet(connection, cpf))}


PERSONAL_DATA = PersonalData(
    "wallet",
    _export,
    members=(
        ExportMember(
            "carteira", ImportedWallet | None, "A carteira do cidadão: saúde, educação e assistência social.", 120
        ),
    ),
)
