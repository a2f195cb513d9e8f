"""The filters for the list of blocks (rules: employability 2.7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import parse_uuid
from balcao.employability.lists import parse_cpf_filter


@dataclass(frozen=True, slots=True)
class BlockFilters:
    """The filters for the list of blocks. A filter that was not sent is None."""

    cpf: Cpf | None = None
    job: UUID | None = None


def parse_block_filters(query: Mapping[str, str]) -> BlockFilters:
    """Parse the filters. Raises Invalid, which names the parameter, if a filter is not valid."""
    cpf, text = parse_cpf_filter(query), query.get("id_vaga", "").strip()
    job = parse_uuid(text)
    if text and job is None:
        raise Invalid("O parâmetro `id_vaga` deve ser um UUID.", code="id_vaga-invalid")
    return BlockFilters(cpf, job)
