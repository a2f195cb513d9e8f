"""The kinds of fields in a request, and how to check their limits and answers (rules: registry 4.20).

`KINDS` is the only list of kinds. To add a kind, add an entry with its limits, its check and its text.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.values.ids import parse_uuid
from balcao.core.values.personal_data import find_kinds
from balcao.core.values.text import clean_optional, clean_text

FILE = "file"
FIELD_ID = r"[a-z][a-z0-9_]{0,29}"
MOST_FIELDS = 20
LABEL_LENGTH, HINT_LENGTH, OPTION_LENGTH = 120, 200, 100
FEWEST_OPTIONS, MOST_OPTIONS = 2, 50
DEFAULT_LENGTH, LONGEST_TEXT = 500, 2_000
MOST_DECIMALS = 4
LARGEST_NUMBER = 1_000_000_000
MOST_DAYS = 36_500  # a range of about a hundred years
ADDRESS_LENGTH, DISTRICT_LENGTH, REFERENCE_LENGTH = 200, 100, 200
MOST_FILES = 5  # of a request
COORDINATE_DECIMALS = 6  # decimal places: about ten centimetres
# The members that fields of every kind have. Every other member is a limit that only some kinds have.
_COMMON = frozenset({"id", "kind", "label", "hint", "required", "personal"})


class Option(msgspec.Struct, frozen=True):
    """An option in a choice field."""

    id: Annotated[str, Meta(description="Identificador da opção.", examples=["apagada"])]
    label: Annotated[str, Meta(description="Texto da opção, até 100 caracteres.", examples=["Apagada à noite"])]


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A field in a form. A limit that the field's kind does not have is absent."""

    id: Annotated[
        str,
        Meta(
            description="Identificador do campo, único no tipo: letras minúsculas, algarismos, `_`.",
            examples=["problema"],
        ),
    ]
    kind: Annotated[
        str,
        Meta(
            description="Espécie do campo: `text`, `choice`, `number`, `date`, `place` ou `file`.", examples=["choice"]
        ),
    ]
    label: Annotated[str, Meta(description="A pergunta, até 120 caracteres.", examples=["O que há com a lâmpada?"])]
    hint: Annotated[str, Meta(description="Ajuda abaixo da pergunta, até 200 caracteres.", examples=[""])] = ""
    required: Annotated[bool, Meta(description="Se a resposta é obrigatória.", examples=[True])] = False
    personal: Annotated[bool, Meta(description="Se a resposta é um dado pessoal.", examples=[False])] = False
    min_length: Annotated[int | None, Meta(description="`text`: menor tamanho da resposta.", examples=[10])] = None
    max_length: Annotated[
        int | None, Meta(description="`text`: maior tamanho da resposta, até 2000; sem ele, 500.", examples=[500])
    ] = None
    options: Annotated[list[Option] | None, Meta(description="`choice`: as opções, de 2 a 50.")] = None
    minimum: Annotated[float | None, Meta(description="`number`: menor valor.", examples=[1])] = None
    maximum: Annotated[float | None, Meta(description="`number`: maior valor.", examples=[20])] = None
    decimals: Annotated[
        int | None, Meta(description="`number`: casas decimais, de 0 a 4; sem ele, 0.", examples=[0])
    ] = None
    earliest_days: Annotated[
        int | None,
        Meta(description="`date`: primeiro dia, contado de hoje; negativo é passado.", examples=[-30]),
    ] = None
    latest_days: Annotated[
        int | None, Meta(description="`date`: último dia, contado de hoje; negativo é passado.", examples=[0])
    ] = None

    max_files: Annotated[
        int | None, Meta(description="`file`: quantos arquivos, de 1 a 5; sem ele, 1.", examples=[3])
    ] = None


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to a field of kind `place`."""

    address: Annotated[str, Meta(description="Logradouro e número.", examples=["Rua das Acácias, 120"])]
    district: Annotated[str | None, Meta(description="Bairro.", examples=["Centro"])] = None
    reference: Annotated[str | None, Meta(description="Ponto de referência.", examples=["em frente à padaria"])] = None
    latitude: Annotated[float | None, Meta(description="Latitude, em graus.", examples=[-22.9])] = None
    longitude: Annotated[float | None, Meta(description="Longitude, em graus.", examples=[-43.1])] = None


@dataclass(frozen=True)
class Kind:
    """A kind of field.

    `limits` are the optional members of `Field` that this kind has. `check_limits` raises Invalid for impossible
    limits. `parse` converts an answer to its stored form, or raises Invalid. `format` converts a stored answer to a
    text for people. If `needs_login` is true, only requests made with a login can answer such a field.
    """

    limits: frozenset[str]
    check_limits: Callable[[Field], None]
    parse: Callable[[Field, Any, date], Any]
    format: Callable[[Field, Any], str]
    needs_login: bool = False


def check_field(field: Field) -> Field:
    """Check a field in a request type, and return it with cleaned texts.

    Raises Invalid, which names the wrong member.
    """
    if not re.fullmatch(FIELD_ID, field.id):
        raise _invalid("O `id` de um campo deve ter até 30 letras minúsculas sem acento, algarismos ou `_`.")
    kind = KINDS.get(field.kind)
    if kind is None:
        raise _invalid(f"O campo `{field.id}` deve ter como `kind` um de: {', '.join(KINDS)}.")
    clean = msgspec.structs.replace(
        field,
        label=clean_text("label", field.label, longest=LABEL_LENGTH),
        hint=clean_text("hint", field.hint, longest=HINT_LENGTH, shortest=0),
        options=field.options and [_check_option(option) for option in field.options],
    )
    given = {name for name, value in msgspec.structs.asdict(field).items() if value is not None} - _COMMON
    if foreign := sorted(given - kind.limits):
        raise _invalid(f"O campo `{field.id}` não pode ter `{foreign[0]}`, pois é da espécie `{field.kind}`.")
    kind.check_limits(clean)
    return clean


def _check_option(option: Option) -> Option:
    if not re.fullmatch(FIELD_ID, option.id):
        raise _invalid("O `id` de uma opção deve ter até 30 letras minúsculas sem acento, algarismos ou `_`.")
    return Option(option.id, clean_text("label", option.label, longest=OPTION_LENGTH))


def parse_answers(
    fields: Sequence[Field], answers: Mapping[str, Any], today: date, *, anonymous: bool
) -> dict[str, Any]:
    """Parse the answers into their stored form, in the order of the fields.

    With `anonymous`, no text may contain personal data. Raises Invalid for an unknown field, a missing answer or a
    wrong value.
    """
    known = {field.id for field in fields}
    if unknown := next((name for name in answers if name not in known), None):
        named = f" `{unknown}`" if re.fullmatch(FIELD_ID, unknown) else ""
        raise Invalid(f"Este pedido não tem o campo{named}.", code="answer-unknown")
    found: dict[str, Any] = {}
    for field in fields:
        value = answers.get(field.id)
        if value is None or value == [] or (isinstance(value, str) and not value.strip()):
            if field.required:
                raise Invalid(f"Falta a resposta de `{field.id}`.", code="answer-missing")
            continue
        if anonymous and KINDS[field.kind].needs_login:
            raise Invalid(f"Só um pedido com login pode responder a `{field.id}`.", code="answer-login-needed")
        parsed = KINDS[field.kind].parse(field, value, today)
        if anonymous and any(map(find_kinds, _iterate_texts(parsed))):
            raise Invalid(
                f"A resposta de `{field.id}` não pode conter CPF, e-mail ou telefone: este pedido não tem login.",
                code="answer-personal",
            )
        found[field.id] = parsed
    if sum(map(len, list_files(fields, found).values())) > MOST_FILES:
        raise make_too_many_files()
    return found


def make_too_many_files() -> Invalid:
    """Return the error for a request with more than `MOST_FILES` files."""
    return Invalid(f"Um pedido pode ter até {MOST_FILES} arquivos.", code="answer-files")


def list_files(fields: Sequence[Field], answers: Mapping[str, Any]) -> dict[str, list[UUID]]:
    """Return the files that stored answers refer to, by field."""
    of_files = [field.id for field in fields if field.kind == FILE and field.id in answers]
    return {name: [UUID(id_) for id_ in answers[name]] for name in of_files}


def format_answer(field: Field, value: Any) -> str:
    """Format a stored answer for people."""
    return KINDS[field.kind].format(field, value)


def _iterate_texts(value: Any) -> list[str]:
    found = value.values() if isinstance(value, dict) else [value]
    return [text for text in found if isinstance(text, str)]


def _invalid(text: str) -> Invalid:
    return Invalid(text, code="field-definition")


def _wrong(field: Field, text: str) -> Invalid:
    return Invalid(f"A resposta de `{field.id}` {text}.", code="answer-invalid")


def _check_nothing(_: Field) -> None:
    """Check nothing, for kinds that have no limits."""


def _check_lengths(field: Field) -> None:
    shortest, longest = _lengths(field)
    if not 1 <= shortest <= longest <= LONGEST_TEXT:
        raise _invalid(f"O campo `{field.id}` deve ter tamanhos de 1 a {LONGEST_TEXT}, o menor primeiro.")


def _lengths(field: Field) -> tuple[int, int]:
    longest = DEFAULT_LENGTH if field.max_length is None else field.max_length
    return (1 if field.min_length is None else field.min_length), longest


def _parse_text(field: Field, value: Any, _: date) -> str:
    if not isinstance(value, str):
        raise _wrong(field, "deve ser um texto")
    shortest, longest = _lengths(field)
    return clean_text(field.id, value, longest=longest, shortest=shortest, one_line=False)


def _check_options(field: Field) -> None:
    ids = [option.id for option in field.options or []]
    if not FEWEST_OPTIONS <= len(ids) <= MOST_OPTIONS or len(set(ids)) < len(ids):
        raise _invalid(f"O campo `{field.id}` deve ter de {FEWEST_OPTIONS} a {MOST_OPTIONS} opções diferentes.")


def _parse_choice(field: Field, value: Any, _: date) -> str:
    if value not in [option.id for option in field.options or []]:
        raise _wrong(field, "deve ser uma das opções")
    return str(value)


def _format_choice(field: Field, value: Any) -> str:
    return next((option.label for option in field.options or [] if option.id == value), str(value))


def _check_range(field: Field) -> None:
    lowest, highest = _range(field)
    if not -LARGEST_NUMBER <= lowest <= highest <= LARGEST_NUMBER:
        raise _invalid(f"O campo `{field.id}` deve ter `minimum` e `maximum` nesta ordem, até um bilhão.")
    if not 0 <= (field.decimals or 0) <= MOST_DECIMALS:
        raise _invalid(f"O campo `{field.id}` deve ter de 0 a {MOST_DECIMALS} casas decimais.")


def _range(field: Field) -> tuple[float, float]:
    lowest = -LARGEST_NUMBER if field.minimum is None else field.minimum
    return lowest, (LARGEST_NUMBER if field.maximum is None else field.maximum)


def _parse_number(field: Field, value: Any, _: date) -> float | int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise _wrong(field, "deve ser um número")
    lowest, highest = _range(field)
    if not lowest <= value <= highest:
        raise _wrong(field, "está fora dos limites")
    if round(value, field.decimals or 0) != value:
        raise _wrong(field, f"deve ter no máximo {field.decimals or 0} casas decimais")
    return value


def _format_number(_: Field, value: Any) -> str:
    return str(value).replace(".", ",")


def _check_days(field: Field) -> None:
    earliest, latest = _days(field)
    if not -MOST_DAYS <= earliest <= latest <= MOST_DAYS:
        raise _invalid(f"O campo `{field.id}` deve ter `earliest_days` e `latest_days` nesta ordem, até cem anos.")


def _days(field: Field) -> tuple[int, int]:
    earliest = -MOST_DAYS if field.earliest_days is None else field.earliest_days
    return earliest, (MOST_DAYS if field.latest_days is None else field.latest_days)


def _parse_date(field: Field, value: Any, today: date) -> str:
    if not isinstance(value, str) or not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise _wrong(field, "deve ser uma data (AAAA-MM-DD)")
    try:
        day = date.fromisoformat(value)
    except ValueError:
        raise _wrong(field, "deve ser uma data que existe") from None
    earliest, latest = _days(field)
    if not today + timedelta(earliest) <= day <= today + timedelta(latest):
        raise _wrong(field, "está fora dos dias permitidos")
    return value


def _format_date(_: Field, value: Any) -> str:
    return f"{date.fromisoformat(value):%d/%m/%Y}"


def _parse_place(field: Field, value: Any, _: date) -> dict[str, Any]:
    try:
        place = msgspec.convert(value, Place)
    except msgspec.ValidationError:
        raise _wrong(
            field, "deve ter `address`, e pode ter `district`, `reference`, `latitude` e `longitude`"
        ) from None
    latitude, longitude = place.latitude, place.longitude
    if (latitude is None) != (longitude is None):
        raise _wrong(field, "deve ter `latitude` e `longitude`, ou nenhuma das duas")
    if not (-90 <= (latitude or 0) <= 90 and -180 <= (longitude or 0) <= 180):  # also rejects NaN
        raise _wrong(field, "tem coordenadas fora do mapa")
    clean = Place(
        address=clean_text(field.id, place.address, longest=ADDRESS_LENGTH),
        district=clean_optional(field.id, place.district, longest=DISTRICT_LENGTH),
        reference=clean_optional(field.id, place.reference, longest=REFERENCE_LENGTH),
        latitude=None if latitude is None else round(latitude, COORDINATE_DECIMALS),
        longitude=None if longitude is None else round(longitude, COORDINATE_DECIMALS),
    )
    return {name: part for name, part in msgspec.structs.asdict(clean).items() if part is not None}


def _format_place(_: Field, value: Any) -> str:
    reference = f" ({value['reference']})" if "reference" in value else ""
    return ", ".join(value[part] for part in ("address", "district") if part in value) + reference


def _check_files(field: Field) -> None:
    if not 1 <= (field.max_files or 1) <= MOST_FILES or field.max_files == 0:
        raise _invalid(f"O campo `{field.id}` deve ter de 1 a {MOST_FILES} arquivos.")


def _parse_files(field: Field, value: Any, _: date) -> list[str]:
    most = field.max_files or 1
    ids = [parse_uuid(id_) if isinstance(id_, str) else None for id_ in value] if isinstance(value, list) else []
    found = [str(id_) for id_ in ids if id_ is not None]
    if not 1 <= len(found) <= most or len(found) < len(ids) or len(set(found)) < len(found):
        raise _wrong(field, f"deve ser uma lista com os ids de até {most} arquivos enviados")
    return found


def _format_files(_: Field, value: Any) -> str:
    return count_files(value)


def count_files(ids: Sequence[str]) -> str:
    """Return the number of files with the noun "arquivo" or "arquivos"."""
    return "1 arquivo" if len(ids) == 1 else f"{len(ids)} arquivos"


def _format_text(_: Field, value: Any) -> str:
    return str(value)


KINDS: Mapping[str, Kind] = {
    "text": Kind(frozenset({"min_length", "max_length"}), _check_lengths, _parse_text, _format_text),
    "choice": Kind(frozenset({"options"}), _check_options, _parse_choice, _format_choice),
    "number": Kind(frozenset({"minimum", "maximum", "decimals"}), _check_range, _parse_number, _format_number),
    "date": Kind(frozenset({"earliest_days", "latest_days"}), _check_days, _parse_date, _format_date),
    "place": Kind(frozenset(), _check_nothing, _parse_place, _format_place),
    FILE: Kind(frozenset({"max_files"}), _check_files, _parse_files, _format_files, needs_login=True),
}
