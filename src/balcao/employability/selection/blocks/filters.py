"""The filters of the list of blocks (rules: employability 2.7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import is_uuid


@dataclass(frozen=True, slots=True)
class BlockFilters:
    """What to list; a filter that was not given is None."""

    cpf: Cpf | None = None
    job: UUID | None = None


def parse_block_filters(query: Mapping[str, str]) -> BlockFilters:
    """Read the filters. Raises Invalid naming the parameter."""
    person, job = query.get("cpf", "").strip(), query.get("id_vaga", "").strip()
    cpf = Cpf.parse_claim(person) if person else None
    if person and cpf is None:
        raise Invalid("O parâmetro `cpf` deve ser um CPF de 11 dígitos.", code="cpf-invalid")
    if job and not is_uuid(job):
        raise Invalid("O parâmetro `id_vaga` deve ser um UUID.", code="id_vaga-invalid")
    return BlockFilters(cpf, UUID(job) if job else None)
