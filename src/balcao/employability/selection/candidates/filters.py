"""The filters for the staff's list of applications (rules: employability 2.7)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.hiring.content.schemas import ID_EXAMPLE
from balcao.employability.lists import parse_cpf_filter, parse_list_page, parse_uuid_filter, read_text
from balcao.employability.selection.applications.schemas import (
    DEFAULT_PER_PAGE,
    OwnApplicationQuery,
    OwnFilters,
    parse_own_filters,
)

MOST_PER_PAGE, MOST_OF_JOB = 1_000, 10_000
# The value of the step filter that matches candidates who are at no step.
NO_STEP = "nenhuma"
# The format of a numeric answer (rules: employability 4.5).
NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:[.,][0-9]{1,30})?")
_PUNCTUATION = str.maketrans("", "", ".- ")
_DIGITS = re.compile(r"[0-9]{1,11}")


@dataclass(frozen=True, slots=True)
class AnswerFilter:
    """A filter by the answer to a question.

    The answer must contain `text` if it is set. If a bound is set, the answer must be a number within the bounds.
    """

    question: UUID
    text: str | None
    lowest: Decimal | None
    greatest: Decimal | None


@dataclass(frozen=True, slots=True)
class CandidateFilters(OwnFilters):
    """The filters for the staff's list.

    A filter that was not sent is None. `cpf_start` contains a CPF's first digits.
    """

    cpf: Cpf | None = None
    text: str | None = None
    cpf_start: str | None = None
    without_step: bool = False
    answer: AnswerFilter | None = None

    @property
    def names_no_person(self) -> bool:
        """Whether the filters concern only jobs and statuses, so that the tallies contain the counts."""
        people = (self.step, self.cpf, self.text, self.cpf_start, self.answer)
        return not self.without_step and all(each is None for each in people)


def parse_candidate_filters(query: Mapping[str, str]) -> CandidateFilters:
    """Parse the filters. Raises Invalid, which names the parameter, if a filter is not valid."""
    without_step = query.get("etapa_id", "").strip() == NO_STEP
    own = parse_own_filters({**query, "etapa_id": ""} if without_step else query)
    cpf, text = parse_cpf_filter(query), read_text(query, "search")
    digits = (text or "").translate(_PUNCTUATION)
    is_cpf = _DIGITS.fullmatch(digits) is not None
    return CandidateFilters(
        own.job,
        own.status,
        own.step,
        cpf,
        text=None if is_cpf else text,
        cpf_start=digits if is_cpf else None,
        without_step=without_step,
        answer=parse_answer_filter(query),
    )


def parse_answer_filter(query: Mapping[str, str]) -> AnswerFilter | None:
    """Parse the filter by an answer, or return None if it is absent. Raises Invalid if it is malformed or incomplete.

    The filter must name one question of one job, because the query reads all answers of the job's candidates.
    """
    question, text = parse_uuid_filter(query, "id_info"), read_text(query, "resposta")
    lowest, greatest = _parse_number(query, "resposta_minima"), _parse_number(query, "resposta_maxima")
    if question is None:
        if text is not None or lowest is not None or greatest is not None:
            raise Invalid("Falta o parâmetro `id_info`: a pergunta da resposta procurada.", code="id_info-missing")
        return None
    if not query.get("vagaId", "").strip():
        raise Invalid("O parâmetro `id_info` precisa de `vagaId`, a vaga da pergunta.", code="vagaId-missing")
    return AnswerFilter(question, text, lowest, greatest)


def _parse_number(query: Mapping[str, str], name: str) -> Decimal | None:
    text = query.get(name, "").strip()
    if text and not NUMBER.fullmatch(text):
        raise Invalid(f"O parâmetro `{name}` deve ser um número.", code=f"{name}-invalid")
    return Decimal(text.replace(",", ".")) if text else None


def parse_candidate_page(query: Mapping[str, str]) -> Page:
    """Parse the page.

    The page size for a single job may be ten times as large, because portals export all candidates of a job.
    """
    return parse_list_page(query, DEFAULT_PER_PAGE, MOST_OF_JOB if query.get("vagaId", "").strip() else MOST_PER_PAGE)


class CandidateQuery(OwnApplicationQuery, kw_only=True):
    cpf: Annotated[str | None, Meta(description="Só as desta pessoa.", examples=["90000000175"])] = None
    search: Annotated[
        str | None,
        Meta(description="Parte do nome ou do e-mail; só dígitos, o começo do CPF.", examples=["moreira"]),
    ] = None
    etapa_id: Annotated[
        str | None,
        Meta(
            description="Só as que estão nesta etapa (UUID); `nenhuma`, só as que não estão em nenhuma.",
            examples=[ID_EXAMPLE],
        ),
    ] = None
    id_info: Annotated[
        str | None,
        Meta(
            description="Só as que responderam a esta pergunta (UUID) de `vagaId`.",
            examples=["1b0f2c5e-6a53-5f43-8f0e-0f7f5a2f9a10"],
        ),
    ] = None
    resposta: Annotated[
        str | None,
        Meta(description="Parte da resposta à pergunta de `id_info`.", examples=["Manhã"]),
    ] = None
    resposta_minima: Annotated[
        str | None, Meta(description="O menor número que serve de resposta à pergunta de `id_info`.", examples=["2"])
    ] = None
    resposta_maxima: Annotated[
        str | None, Meta(description="O maior número que serve de resposta à pergunta de `id_info`.", examples=["10"])
    ] = None
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int,
        Meta(
            description="Itens por página; acima de 1000 vale 1000, e com `vagaId` acima de 10000 vale 10000.",
            examples=[DEFAULT_PER_PAGE],
        ),
    ] = DEFAULT_PER_PAGE
