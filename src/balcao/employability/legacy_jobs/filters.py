"""The filters for the list of older jobs (rules: employability 2.10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from balcao.core.values.ids import MAX_INT64
from balcao.core.values.numbers import parse_whole_number
from balcao.employability.legacy_jobs.schemas import CONTRACT_KINDS, WORKING_HOURS
from balcao.employability.legacy_jobs.states import LegacyJobStatus
from balcao.employability.lists import parse_choice_filter, read_text


@dataclass(frozen=True, slots=True)
class LegacyJobFilters:
    """The filters for the list of older jobs. A filter that was not sent is None."""

    orgao_id: str | None
    empresa_id: int | None
    escolaridade_id: int | None
    status: str | None
    tipo_contratacao: str | None
    jornada_trabalho: str | None

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> Self:
        """Parse the query. Raises Invalid, which names the parameter, if a filter is not valid."""
        return cls(
            read_text(query, "orgao_id", 50),
            _parse_number(query, "empresa_id", MAX_INT64),
            _parse_number(query, "escolaridade_id", 32767),
            parse_choice_filter(query, "status", [status.value for status in LegacyJobStatus]),
            parse_choice_filter(query, "tipo_contratacao", CONTRACT_KINDS),
            parse_choice_filter(query, "jornada_trabalho", WORKING_HOURS),
        )


def _parse_number(query: Mapping[str, str], name: str, most: int) -> int | None:
    return parse_whole_number(name, query[name], 0, most, default=0) if query.get(name, "").strip() else None
