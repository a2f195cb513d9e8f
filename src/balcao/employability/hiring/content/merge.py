"""Merges a request body into a stored job: cleans and checks its members, and matches steps and questions by id.

The rules define the meaning of an absent member (rules: employability 3.3).
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from itertools import islice
from operator import attrgetter
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import UNSET, UnsetType

from balcao.core.errors import Invalid
from balcao.core.values.cnpj import is_cnpj, strip_cnpj
from balcao.core.values.ids import new_uuid
from balcao.employability.hiring.content.rules import (
    SELECTIONS,
    JobContent,
    Language,
    QuestionContent,
    StepContent,
    require_fields,
)
from balcao.employability.hiring.content.schemas import (
    JobBody,
    LanguageBody,
    NestedStep,
    QuestionBody,
    StepBody,
)
from balcao.employability.instants import parse_instant
from balcao.employability.texts import (
    clean_line,
    clean_optional_line,
    clean_optional_prose,
    clean_prose,
    parse_uuid_field,
)

LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_PROSE, LONGEST_STEP_TEXT = 500, 20_000, 10_000, 5_000
LONGEST_NAME, LONGEST_OPTION, LONGEST_CODE = 255, 200, 50
MOST_STEPS, MOST_QUESTIONS, MOST_REFERENCES, MOST_LANGUAGES, MOST_OPTIONS = 30, 30, 20, 10, 50
MOST_NEIGHBOURHOODS, MOST_COURSES = 200, 50
ACCESSIBILITY = frozenset({"para_pcd", "preferencial_pcd", "exclusivo_pcd"})
NUMERIC = "resposta_numerica"
KEPT_BASE_FIELDS = ("id_contratante", "id_regime_contratacao", "id_modelo_trabalho")
BASE_FIELDS = ("titulo", "descricao", *KEPT_BASE_FIELDS)
PROSE = ("requisitos", "diferenciais", "responsabilidades", "beneficios")


def iterate_new_ids(_: str) -> Iterator[UUID]:
    """Yield random ids endlessly. The argument is ignored."""
    return iter(new_uuid, None)


def merge_job(
    body: JobBody,
    stored: JobContent | None,
    zone: ZoneInfo,
    iterate_ids: Callable[[str], Iterator[UUID]] = iterate_new_ids,
) -> JobContent:
    """Return the job's content after the request. `stored` is None for a new job.

    `iterate_ids` receives the name of a wire field, and yields ids for the new steps or questions in that field. Raises
    Invalid, which names the invalid field or all missing base fields.
    """
    titulo, descricao, company, contract, work_model = _read_base(body, stored)
    accessibility = _given(body.acessibilidade_pcd)
    if accessibility is not None and accessibility not in ACCESSIBILITY:
        raise invalid_field("acessibilidade_pcd", f"deve ser um destes: {', '.join(sorted(ACCESSIBILITY))}")
    lowest, highest = _given(body.idade_minima), body.idade_maxima
    if highest is UNSET:  # absent: keep the stored value; null: clear it
        highest = getattr(stored, "idade_maxima", None)
    if lowest is not None and highest is not None and highest < lowest:
        raise invalid_field("idade_maxima", "não pode ser menor que `idade_minima`")
    limit, schooling = _given(body.data_limite), _given(body.id_escolaridade_minima)
    return JobContent(
        titulo=clean_line("titulo", titulo, LONGEST_TITLE),
        descricao=_clean_filled_prose("descricao", descricao, LONGEST_DESCRIPTION),
        id_contratante=_parse_company(company),
        id_regime_contratacao=parse_id("id_regime_contratacao", contract),
        id_modelo_trabalho=parse_id("id_modelo_trabalho", work_model),
        id_orgao_parceiro=merge_department(body, stored),
        bairro=clean_optional_line("bairro", _given(body.bairro), LONGEST_NAME),
        data_limite=None if limit is None else parse_instant("data_limite", limit, zone),
        **{name: _clean_optional(name, getattr(body, name)) for name in PROSE},
        valor_vaga=_read_amount(_given(body.valor_vaga)),
        quantidade_estimada_contratacoes=_given(body.quantidade_estimada_contratacoes),
        acessibilidade_pcd=accessibility,
        idade_minima=lowest,
        idade_maxima=highest,
        id_escolaridade_minima=None if schooling is None else parse_id("id_escolaridade_minima", schooling),
        bairros_elegibilidade=_read_names("bairros_elegibilidade", body, stored, MOST_NEIGHBOURHOODS),
        areas_formacao_elegibilidade=_read_names("areas_formacao_elegibilidade", body, stored, MOST_COURSES),
        tipos_pcd=_read_references("tipos_pcd", body, stored) if accessibility else [],
        zonas=_read_references("zonas", body, stored),
        idiomas_requisito=_read_nested("idiomas_requisito", body, stored, read_languages),
        etapas=_read_nested("etapas", body, stored, partial(read_steps, iterate_ids)),
        informacoes_complementares=_read_nested(
            "informacoes_complementares", body, stored, partial(read_questions, iterate_ids)
        ),
    )


_list_base = attrgetter(*BASE_FIELDS)


def _read_base(body: JobBody, stored: JobContent | None) -> list[Any]:
    """Return the base fields.

    If the body has no value for a field of KEPT_BASE_FIELDS, the field keeps its stored value. Raises Invalid, which
    names all base fields that still have no value.
    """
    found = [_given(value) for value in _list_base(body)]
    if None in found:
        kept = {name: getattr(stored, name, None) for name in KEPT_BASE_FIELDS}
        found = [kept.get(name) if value is None else value for name, value in zip(BASE_FIELDS, found, strict=True)]
        require_fields(name for name, value in zip(BASE_FIELDS, found, strict=True) if value is None)
    return found


@lru_cache(1024)  # cached, because the lines of an import share a few ids
def parse_id(field: str, value: str | UUID) -> UUID:
    """Parse the id of a reference value. Raises Invalid, which names the field, if the id is malformed."""
    return value if isinstance(value, UUID) else parse_uuid_field(field, value)


def parse_ids(field: str, values: Sequence[str]) -> list[UUID]:
    """Parse ids of reference values and remove duplicates. Raises Invalid for an invalid id or more than 20 ids."""
    _limit(field, values, MOST_REFERENCES)
    return list(dict.fromkeys(parse_id(field, value) for value in values))


def read_languages(sent: Sequence[LanguageBody], _: Sequence[Language] = ()) -> list[Language]:
    """Parse the required languages. Raises Invalid for an invalid id, a duplicate, or more than ten languages."""
    field = "idiomas_requisito"
    _limit(field, sent, MOST_LANGUAGES)
    found = [Language(parse_id(field, each.id_idioma), parse_id(field, each.id_nivel_minimo)) for each in sent]
    if len({language.id_idioma for language in found}) < len(found):
        raise Invalid(f"O campo `{field}` tem o mesmo idioma duas vezes.", code="language-repeated")
    return found


def read_steps(
    iterate_ids: Callable[[str], Iterator[UUID]], sent: Sequence[NestedStep], stored: Sequence[StepContent]
) -> list[StepContent]:
    """Parse the steps and sort them by `ordem`. Raises Invalid for an invalid step or too many steps."""
    _limit("etapas", sent, MOST_STEPS)
    ordered = order_steps(sent)
    ids = _match_ids(ordered, stored, iterate_ids("etapas"))
    return [parse_step_content(id_, step, "etapas.") for id_, step in zip(ids, ordered, strict=True)]


def order_steps(sent: Sequence[NestedStep]) -> list[NestedStep]:
    """Sort steps by `ordem`, which defaults to the step's position in the list.

    Steps with the same `ordem` keep the order of the list.
    """
    if {step.ordem for step in sent} <= {None}:
        return list(sent)
    places = [place if step.ordem is None else step.ordem for place, step in enumerate(sent, 1)]
    in_order = sorted(zip(places, sent, strict=True), key=lambda pair: pair[0])
    return [step for _, step in in_order]


def parse_step_content(id_: UUID, sent: StepBody, path: str = "") -> StepContent:
    """Parse a step. Raises Invalid if a field is not valid. `path` is the prefix of the field's name in the message."""
    return StepContent(
        id_,
        clean_line(f"{path}titulo", sent.titulo, LONGEST_TITLE),
        clean_prose(f"{path}descricao", sent.descricao or "", LONGEST_STEP_TEXT),
    )


def read_questions(
    iterate_ids: Callable[[str], Iterator[UUID]], sent: Sequence[QuestionBody], stored: Sequence[QuestionContent]
) -> list[QuestionContent]:
    """Parse the questions, which keep their order. Raises Invalid for an invalid question or too many questions."""
    _limit("informacoes_complementares", sent, MOST_QUESTIONS)
    ids = _match_ids(sent, stored, iterate_ids("informacoes_complementares"))
    return [_read_question(id_, question) for id_, question in zip(ids, sent, strict=True)]


def _read_question(id_: UUID, sent: QuestionBody) -> QuestionContent:
    lowest, highest = sent.valor_minimo, sent.valor_maximo
    if (lowest is not None or highest is not None) and sent.tipo_campo != NUMERIC:
        raise invalid_field("informacoes_complementares.valor_minimo", f"e `valor_maximo` só valem em `{NUMERIC}`")
    if lowest is not None and highest is not None and lowest > highest:
        raise invalid_field("informacoes_complementares.valor_minimo", "é maior que `valor_maximo`")
    options = _read_options(sent.tipo_campo, sent.opcoes) if sent.opcoes else []
    title = clean_line("informacoes_complementares.titulo", sent.titulo, LONGEST_TITLE)
    return QuestionContent(id_, title, bool(sent.obrigatorio), sent.tipo_campo, lowest, highest, options)


def _read_options(kind: str, sent: Sequence[str]) -> list[str]:
    field = "informacoes_complementares.opcoes"
    if kind not in SELECTIONS:
        raise invalid_field(field, "só vale nas seleções")
    _limit(field, sent, MOST_OPTIONS)
    options = [clean_line(field, option, LONGEST_OPTION) for option in sent]
    if len(set(options)) < len(options):
        raise invalid_field(field, "tem a mesma opção duas vezes")
    return options


def _match_ids(
    sent: Sequence[NestedStep | QuestionBody], stored: Sequence[StepContent | QuestionContent], new: Iterator[UUID]
) -> list[UUID]:
    """Return an id for each item.

    It is the sent id if the job has this id and no earlier item used it, otherwise a new id.
    """
    free: dict[str, UUID | None] = {str(each.id): each.id for each in stored}
    if not free:
        return list(islice(new, len(sent)))
    return [free.pop(str(each.id).strip().lower(), None) or next(new) for each in sent]


def _read_nested(field: str, body: JobBody, stored: JobContent | None, read: Any) -> Any:
    """Read a list of nested items. If the member is absent, return the stored items. Null means an empty list."""
    present = getattr(stored, field, [])
    sent = getattr(body, field)
    return present if sent is UNSET else read(sent or (), present)


def _read_references(field: str, body: JobBody, stored: JobContent | None) -> Sequence[UUID]:
    sent = getattr(body, field)
    if sent is UNSET:
        return getattr(stored, field, [])
    return parse_ids(field, [each.id for each in sent or ()])


def _read_names(field: str, body: JobBody, stored: JobContent | None, most: int) -> Sequence[str]:
    sent = getattr(body, field)
    if sent is UNSET:
        return getattr(stored, field, [])
    _limit(field, sent or (), most)
    return list(dict.fromkeys(clean_line(field, name, LONGEST_NAME) for name in sent or ()))


def merge_department(body: JobBody, stored: JobContent | None) -> str | None:
    """Return the department's code. An absent or blank value keeps the stored code, and null clears it.

    Raises Invalid if the code is not valid.
    """
    if body.id_orgao_parceiro is None:
        return None
    return clean_optional_line("id_orgao_parceiro", _given(body.id_orgao_parceiro), LONGEST_CODE) or getattr(
        stored, "id_orgao_parceiro", None
    )


def _parse_company(value: str) -> str:
    cnpj = strip_cnpj(value)
    if not is_cnpj(cnpj):
        raise invalid_field("id_contratante", "deve ser um CNPJ")
    return cnpj


def _read_amount(value: float | None) -> Decimal | None:
    if value is None:
        return None
    amount = Decimal(repr(value))
    if amount != round(amount, 2):
        raise invalid_field("valor_vaga", "deve ter no máximo 2 casas decimais")
    return amount


def _clean_filled_prose(field: str, text: str, longest: int) -> str:
    cleaned = clean_prose(field, text, longest)
    if not cleaned:
        require_fields([field])
    return cleaned


def _clean_optional(field: str, text: str | UnsetType | None) -> str | None:
    return None if text is UNSET else clean_optional_prose(field, text, LONGEST_PROSE)


def _limit(field: str, items: Sequence[Any], most: int) -> None:
    if len(items) > most:
        raise invalid_field(field, f"aceita no máximo {most} itens")


def _given(value: Any) -> Any:
    """Return the sent value, or None if it is absent, null or a blank string."""
    return None if value is UNSET or (isinstance(value, str) and not value.strip()) else value


def invalid_field(field: str, fault: str) -> Invalid:
    """Return an error about a wire field. In the message, `fault` follows the field's name."""
    return Invalid(f"O campo `{field}` {fault}.", code=f"{field}-invalid")
