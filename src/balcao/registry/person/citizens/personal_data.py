"""The citizen record, told to the person's rights: exported as loaded, erased by nobody."""

from collections.abc import Mapping, Sequence
from typing import Any

from balcao.core.audit.personal_data import Holding, Kept
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import store

BASIS = "Cadastro legal da cidade: é corrigido na origem."
_LOADED = "SELECT source, loaded_at FROM registry.base_record WHERE cpf = $1"


async def _exported(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    record = await store.read_base(connection, cpf)
    loaded = await connection.fetchrow(_LOADED, cpf.digits)
    return {"registro_base": None if record is None or loaded is None else {**record, **loaded}}


async def _kept(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    return [Kept("base_record", int(await store.read_base(connection, cpf) is not None), BASIS)]


HOLDING = Holding("citizens", _exported, kept=_kept, tables=("registry.base_record",))
