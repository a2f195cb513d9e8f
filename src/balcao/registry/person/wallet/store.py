"""SQL for the wallet."""

from typing import NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Source
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.store import is_mirrored_sql
from balcao.registry.person.wallet.schemas import ImportedWallet


class StoredWallet(NamedTuple):
    """The imported wallet. `known` is true if the citizen has a base record or a mirror."""

    wallet: ImportedWallet | None
    known: bool


@lookup(f"""
SELECT base.wallet::text AS wallet,
       base.cpf IS NOT NULL OR {is_mirrored_sql(":cpf")} AS known
FROM (VALUES (1)) AS always LEFT JOIN registry.base_record AS base ON base.cpf = :cpf
""")
async def read_stored_wallet(source: Source, cpf: Cpf) -> StoredWallet: ...
