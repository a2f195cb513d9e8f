"""The questions of a request type: their form fields, and their answers as typed, as sent and in words.

A typed answer is a list of texts, as a form or a draft contains it. A place has three texts, a file one for each file,
and every other kind one.

No field sets `autocomplete="off"`: browsers would not restore its text when a person goes back.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import msgspec
import wtforms
from wtforms.validators import Optional, StopValidation, ValidationError

from balcao.core.values.pasted import clean_pasted
from balcao.web.forms import Form, list_choices, needed
from balcao.web.words import format_count, format_number

FILE, PLACE = "file", "place"
_LONGEST_TEXT = 500  # if the type has no limit
_LONG_TEXT = 100  # texts that may be longer get several lines
_MOST_RADIOS = 8
_MOST_DAYS = 36_500
_LONGEST_PLACE, _LONGEST_DISTRICT = 200, 100
_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})|(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_SKIPPED, _MISSING = "Sem resposta", "Falta esta resposta."


class Option(msgspec.Struct):
    id: str
    label: str


class Question(msgspec.Struct):
    """A question of a request type. The limits depend on its kind."""

    id: str
    kind: str
    label: str
    hint: str = ""
    required: bool = False
    min_length: int | None = None
    max_length: int | None = None
    options: list[Option] | None = None
    minimum: float | None = None
    maximum: float | None = None
    decimals: int | None = None
    earliest_days: int | None = None
    latest_days: int | None = None
    max_files: int | None = None

    @property
    def field(self) -> str:
        """Return the name of its first form field. It differs from all attributes of a form."""
        return f"q-{self.id}"

    @property
    def fields(self) -> list[str]:
        """Return the names of its form fields."""
        return [self.field, f"{self.field}-bairro", f"{self.field}-referencia"] if self.kind == PLACE else [self.field]


class RequestType(msgspec.Struct):
    """A request type in its current version."""

    id: str
    version: int
    name: str
    category: str
    fields: list[Question]
    departments: list[str]
    deadline_days: int
    description: str = ""
    service_id: str | None = None
    without_login: bool = False

    def list_questions(self, *, with_login: bool) -> list[Question]:
        """Return the questions. Only a person with a login can send files."""
        return [question for question in self.fields if with_login or question.kind != FILE]


Answers = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Kind:
    """A kind of questions.

    - `make_fields` returns the form fields of a question; the argument is the current day.
    - `parse` returns the answer as the service expects it.
    - `describe` returns the answer in words.
    """

    make_fields: Callable[[Question, date], list[Any]]
    parse: Callable[[Question, Sequence[str]], Any]
    describe: Callable[[Question, Sequence[str]], str]


def make_form(questions: Sequence[Question], today: date) -> type[Form]:
    """Return the form for these questions. The service's errors appear at the first field of a question."""
    fields = {
        name: field
        for question in questions
        for name, field in zip(question.fields, _KINDS[question.kind].make_fields(question, today), strict=True)
    }
    return type("QuestionsForm", (Form,), {**fields, "members": {one.field: one.id for one in questions}})


def fill(questions: Sequence[Question], answers: Answers) -> dict[str, Any]:
    """Return the initial values of the form's fields."""
    return {
        name: text
        for question in questions
        for name, text in zip(question.fields, answers.get(question.id, ()), strict=False)
    }


def read_answers(questions: Sequence[Question], form: Form) -> dict[str, list[str]]:
    """Return the typed answers. Questions without an answer are left out."""
    typed = {one.id: [str(form[name].data or "").strip() for name in one.fields] for one in questions}
    return {id_: texts for id_, texts in typed.items() if any(texts)}


def parse_answers(questions: Sequence[Question], answers: Answers) -> dict[str, Any]:
    """Return the answers as the service expects them."""
    return {one.id: _KINDS[one.kind].parse(one, answers[one.id]) for one in questions if one.id in answers}


def describe_answer(question: Question, answers: Answers) -> str:
    """Return an answer in words, or an empty string if there is none."""
    return _KINDS[question.kind].describe(question, answers[question.id]) if question.id in answers else ""


def name_questions(text: str, questions: Sequence[Question]) -> str:
    """Return a text of the service with the labels of the questions in place of their ids."""
    labels = {one.id: one.label for one in questions}
    return re.sub(r"`(\w+)`", lambda found: f"“{labels.get(found[1], found[1])}”", text)


def _list_rules(question: Question) -> list[Any]:
    return [needed(_MISSING), _require_text] if question.required else [Optional()]


def _require_text(_: Any, field: Any) -> None:
    """Refuse a text of blanks only, which `needed` accepts."""
    if not field.data:
        raise StopValidation(_MISSING)


def _clean_lines(text: str | None) -> str:
    return (text or "").replace("\r\n", "\n").strip()


def _clean_value(text: str | None) -> str:
    return clean_pasted(text or "")


def _make_text(question: Question, _: date) -> list[Any]:
    longest = question.max_length or _LONGEST_TEXT
    shortest = question.min_length or 1
    kind = wtforms.TextAreaField if longest > _LONG_TEXT else wtforms.StringField

    def check(_: Any, field: Any) -> None:
        size = len(field.data or "")
        if size > longest:
            raise ValidationError(f"Escreva até {format_number(longest)} letras. Agora são {format_number(size)}.")
        if 0 < size < shortest:
            raise ValidationError(f"Conte um pouco mais: pelo menos {shortest} letras.")

    return [
        kind(
            question.label,
            description=_join(question.hint, f"Até {format_number(longest)} letras."),
            validators=[*_list_rules(question), check],
            filters=[_clean_lines],
        )
    ]


def _make_choice(question: Question, _: date) -> list[Any]:
    options = [(one.id, one.label) for one in question.options or ()]
    ids = {id_ for id_, _ in options}
    is_short = len(options) <= _MOST_RADIOS
    skipped = [("", _SKIPPED)] if is_short and not question.required else []

    def check(_: Any, field: Any) -> None:
        if field.data and field.data not in ids:
            raise ValidationError("Escolha uma das opções.")

    kind = wtforms.RadioField if is_short else wtforms.SelectField
    return [
        kind(
            question.label,
            description=question.hint,
            choices=list_choices([*skipped, *options], is_asked=not is_short),
            validators=[*([needed("Escolha uma das opções.")] if question.required else [Optional()]), check],
            validate_choice=False,
            coerce=lambda value: value or "",
            default="",
        )
    ]


def _parse_choice(_: Question, texts: Sequence[str]) -> str:
    return texts[0]


def _describe_choice(question: Question, texts: Sequence[str]) -> str:
    return next((one.label for one in question.options or () if one.id == texts[0]), texts[0])


def _make_number(question: Question, _: date) -> list[Any]:
    decimals, low, high = question.decimals or 0, question.minimum, question.maximum
    pattern = re.compile(r"-?\d{1,10}" + (rf"(?:[.,]\d{{1,{decimals}}})?" if decimals else ""), re.ASCII)
    limits = _describe_limits(low, high, decimals)

    def check(_: Any, field: Any) -> None:
        if not pattern.fullmatch(field.data):
            raise ValidationError("Escreva só o número, como 2." if not decimals else "Escreva só o número, como 2,5.")
        value = _to_number(field.data)
        if (low is not None and value < low) or (high is not None and value > high):
            raise ValidationError(f"O número vai {limits}.")

    hint = f"Um número {limits}." if limits else ""
    return [
        wtforms.StringField(
            question.label,
            description=_join(question.hint, hint),
            validators=[*_list_rules(question), check],
            filters=[_clean_value],
            render_kw={"inputmode": "decimal" if decimals else "numeric"},
        )
    ]


def _describe_limits(low: float | None, high: float | None, decimals: int) -> str:
    least, most = (None if one is None else _format_exactly(one, decimals) for one in (low, high))
    if least is not None and most is not None:
        return f"de {least} a {most}"
    return f"a partir de {least}" if least is not None else f"até {most}" if most is not None else ""


def _format_exactly(value: float, decimals: int) -> str:
    return format_number(value, 0 if value == int(value) else decimals)


def _to_number(text: str) -> float | int:
    plain = text.replace(",", ".")
    return float(plain) if "." in plain else int(plain)


def _parse_number(_: Question, texts: Sequence[str]) -> float | int:
    return _to_number(texts[0])


def _make_date(question: Question, today: date) -> list[Any]:
    first = today + timedelta(-_MOST_DAYS if question.earliest_days is None else question.earliest_days)
    last = today + timedelta(_MOST_DAYS if question.latest_days is None else question.latest_days)

    def check(_: Any, field: Any) -> None:
        day = _read_day(field.data)
        if day is None:
            raise ValidationError("Escreva o dia, o mês e o ano, como 28/11/2026.")
        if not first <= day <= last:
            raise ValidationError(f"O dia deve ser {_describe_days(question, first, last)}.")

    limits = _describe_days(question, first, last)
    return [
        wtforms.StringField(
            question.label,
            description=_join(
                question.hint, f"Dia, mês e ano, como {today:%d/%m/%Y}." + (f" Pode ser {limits}." if limits else "")
            ),
            validators=[*_list_rules(question), check],
            filters=[_clean_value],
            render_kw={"inputmode": "numeric"},
        )
    ]


def _describe_days(question: Question, first: date, last: date) -> str:
    if question.earliest_days is None and question.latest_days is None:
        return ""
    if question.earliest_days is None:
        return "até hoje" if question.latest_days == 0 else f"até {last:%d/%m/%Y}"
    if question.latest_days is None:
        return f"a partir de {first:%d/%m/%Y}"
    return f"de {first:%d/%m/%Y} a {last:%d/%m/%Y}"


def _read_day(text: str) -> date | None:
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    parts = found.group(3, 2, 1) if found[1] else found.group(4, 5, 6)
    try:
        return date(*map(int, parts))
    except ValueError:
        return None


def _parse_date(_: Question, texts: Sequence[str]) -> str:
    day = _read_day(texts[0])
    return day.isoformat() if day is not None else texts[0]


def _describe_date(_: Question, texts: Sequence[str]) -> str:
    day = _read_day(texts[0])
    return f"{day:%d/%m/%Y}" if day is not None else texts[0]


def _make_place(question: Question, _: date) -> list[Any]:
    def require_street(form: Any, field: Any) -> None:
        if not field.data and (question.required or any(form[name].data for name in question.fields)):
            raise StopValidation("Falta dizer o lugar: escreva a rua.")

    # WTForms reads the mark of a required field from its validators.
    require_street.field_flags = {"required": True} if question.required else {}  # type: ignore[attr-defined]
    return [
        _make_line("Rua e número", "Se não souber o número, escreva só a rua.", _LONGEST_PLACE, [require_street]),
        _make_line("Bairro", "", _LONGEST_DISTRICT, []),
        _make_line("Ponto de referência, se ajudar", "Como “em frente à padaria”.", _LONGEST_PLACE, []),
    ]


def _make_line(label: str, hint: str, longest: int, rules: Sequence[Any]) -> Any:
    def check(_: Any, field: Any) -> None:
        if len(field.data) > longest:
            raise ValidationError(f"Escreva até {longest} letras.")

    return wtforms.StringField(
        label,
        description=hint,
        validators=[*rules, check],
        filters=[lambda text: " ".join((text or "").split())],
    )


def _parse_place(_: Question, texts: Sequence[str]) -> dict[str, str]:
    return {name: text for name, text in zip(("address", "district", "reference"), texts, strict=False) if text}


def _describe_place(_: Question, texts: Sequence[str]) -> str:
    address, district, reference = (*texts, "", "", "")[:3]
    return ", ".join(filter(None, (address, district))) + (f" ({reference})" if reference else "")


def _make_file(question: Question, _: date) -> list[Any]:
    return [wtforms.FileField(question.label, description=question.hint)]


def _parse_file(_: Question, texts: Sequence[str]) -> list[str]:
    return [text.partition(" ")[0] for text in texts]


def _describe_file(_: Question, texts: Sequence[str]) -> str:
    return format_count(len(texts), "arquivo", "arquivos")


def _parse_text(_: Question, texts: Sequence[str]) -> str:
    return texts[0]


def _describe_text(_: Question, texts: Sequence[str]) -> str:
    return texts[0]


def _join(*texts: str) -> str:
    return " ".join(filter(None, texts))


_KINDS: Mapping[str, _Kind] = {
    "text": _Kind(_make_text, _parse_text, _describe_text),
    "choice": _Kind(_make_choice, _parse_choice, _describe_choice),
    "number": _Kind(_make_number, _parse_number, _describe_text),
    "date": _Kind(_make_date, _parse_date, _describe_date),
    PLACE: _Kind(_make_place, _parse_place, _describe_place),
    FILE: _Kind(_make_file, _parse_file, _describe_file),
}
