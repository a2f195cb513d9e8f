"""SQL of the base record."""

from typing import Any

import msgspec

from balcao.core.cpf import Cpf
from balcao.core.database import Connection, json_text

_READ = "SELECT record::text FROM registry.base_record WHERE cpf = $1"


async def read_base(connection: Connection, cpf: Cpf) -> dict[str, Any] | None:
    found = await connection.fetchval(_READ, cpf.digits)
    return None if found is None else msgspec.json.decode(found, type=dict[str, Any])


_LOAD = """
INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::jsonb, $3)
ON CONFLICT (cpf) DO UPDATE SET record = excluded.record, source = excluded.source, loaded_at = now()
WHERE base_record.record <> excluded.record OR base_record.source <> excluded.source
"""


async def load_base(connection: Connection, cpf: Cpf, record: dict[str, Any], source: str) -> None:
    """By the owner of the tables only; a record that did not change is not touched."""
    await connection.execute(_LOAD, cpf.digits, json_text(record), source)
