"""The filters of staff's list of applications (rules: employability 2.7)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.lists import parse_cpf, parse_page, read_text
from balcao.employability.selection.applications.schemas import (
    DEFAULT_PER_PAGE,
    OwnApplicationQuery,
    OwnFilters,
    parse_own_filters,
)

MOST_PER_PAGE, MOST_OF_JOB = 1_000, 10_000
_PUNCTUATION = str.maketrans("", "", ".- ")
_DIGITS = re.compile(r"[0-9]{1,11}")


@dataclass(frozen=True, slots=True)
class CandidateFilters(OwnFilters):
    """What to list; a filter that was not given is None. `cpf_start` is the beginning of a CPF."""

    cpf: Cpf | None = None
    text: str | None = None
    cpf_start: str | None = None

    @property
    def names_nobody(self) -> bool:
        """Return whether only jobs and statuses are asked for, whose applications are added up already."""
        return self.step is None and self.cpf is None and self.text is None and self.cpf_start is None


def parse_candidate_filters(query: Mapping[str, str]) -> CandidateFilters:
    """Read the filters. Raises Invalid naming the parameter."""
    own = parse_own_filters(query)
    cpf, text = parse_cpf(query), read_text(query, "search")
    digits = (text or "").translate(_PUNCTUATION)
    if _DIGITS.fullmatch(digits):
        return CandidateFilters(own.job, own.status, own.step, cpf, None, digits)
    return CandidateFilters(own.job, own.status, own.step, cpf, text)


def parse_candidate_page(query: Mapping[str, str]) -> Page:
    """Read the page; of one job, which portals export whole, it may be ten times as long."""
    return parse_page(query, DEFAULT_PER_PAGE, MOST_OF_JOB if query.get("vagaId", "").strip() else MOST_PER_PAGE)


class CandidateQuery(OwnApplicationQuery, kw_only=True):
    cpf: Annotated[str | None, Meta(description="Só as desta pessoa.", examples=["90000000175"])] = None
    search: Annotated[
        str | None,
        Meta(description="Parte do nome ou do e-mail; só dígitos, o começo do CPF.", examples=["moreira"]),
    ] = None
    pageSize: Annotated[  # noqa: N815 - the specification's word
        int,
        Meta(
            description="Itens por página; acima de 1000 vale 1000, e com `vagaId` acima de 10000 vale 10000.",
            examples=[DEFAULT_PER_PAGE],
        ),
    ] = DEFAULT_PER_PAGE
