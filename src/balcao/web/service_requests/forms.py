"""The form that asks the questions of a request type. The service checks every answer again.

A question's fields are called `r-ID`, and `r-ID-PART` for the parts of a place. The prefix prevents conflicts between
the ids that staff chose and the names that WTForms uses itself. Files are not fields of this form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, cast

import wtforms
from wtforms.validators import Optional, ValidationError

from balcao.web.forms import Form, length, list_choices, needed
from balcao.web.service_requests.client import Field
from balcao.web.service_requests.files import is_note
from balcao.web.service_requests.labels import describe_limits, show_number
from balcao.web.words import format_day

# A question with more options than this uses a selection instead of radio buttons.
_MOST_RADIOS = 7
# A question whose answer has at most this length uses a single-line field.
_LONGEST_LINE = 120
_DEFAULT_LENGTH = 500
_MOST_DIGITS = 15
_NO_STREET = "Escreva a rua e o número."
_ADDRESS, _DISTRICT, _REFERENCE = "address", "district", "reference"
_UNANSWERED: tuple[Any, ...] = (None, "", [])


class DecimalCommaField(wtforms.StringField):
    """A field for a number, typed with a comma before the decimals. `number` is None if the input is not a number."""

    def __init__(self, label: str, validators: list[Any], *, decimals: int = 0, **options: Any) -> None:
        super().__init__(label, validators, **options)
        self.decimals = decimals

    @property
    def number(self) -> Decimal | None:
        """Return the typed number, or None."""
        text = (self.data or "").strip()
        pattern = rf"-?[0-9]{{1,{_MOST_DIGITS}}}" + (rf"(?:[.,][0-9]{{1,{self.decimals}}})?" if self.decimals else "")
        return Decimal(text.replace(",", ".")) if re.fullmatch(pattern, text) else None


class Asked(NamedTuple):
    """A question with its form fields. Only a place has more than one field."""

    question: Field
    fields: list[Any]


class AnswerForm(Form):
    """The base class of the form classes that `make_answer_form` returns."""

    questions: Sequence[Field] = ()

    def list_asked(self) -> Iterator[Asked]:
        """Yield each question with its fields, in order."""
        for question in self.questions:
            names = [name for name in self._fields if name == _name(question) or _is_part(name, question)]
            yield Asked(question, [self._fields[name] for name in names])

    @property
    def answers(self) -> dict[str, Any]:
        """Return the answers in the format that the service accepts. Unanswered questions are omitted."""
        found = {question.id: self._read_answer(question) for question in self.questions}
        return {id_: answer for id_, answer in found.items() if answer not in _UNANSWERED}

    def _read_answer(self, question: Field) -> Any:
        name, fields = _name(question), cast("Mapping[str, Any]", self._fields)
        match question.kind:
            case "number":
                number: Decimal | None = fields[name].number
                if number is None:
                    return None
                return int(number) if number == number.to_integral_value() else float(number)
            case "date":
                day: date | None = fields[name].data
                return None if day is None else day.isoformat()
            case "place":
                typed = {part: (fields[f"{name}-{part}"].data or "").strip() for part in _PLACE}
                return {part: text for part, text in typed.items() if text} or None
        return fields[name].data


def make_answer_form(questions: Sequence[Field], today: date) -> type[AnswerForm]:
    """Return a form class for these questions. `today` is the current date in the city, from which days are counted."""
    asked = [question for question in questions if question.kind != "file"]
    fields: dict[str, Any] = {}
    members: dict[str, str] = {}
    for question in asked:
        made = _make_fields(question, today)
        fields |= made
        # If an error names the question, show it at the question's first field.
        members |= {name: question.id if position == 0 else name for position, name in enumerate(made)}
    return type("QuestionForm", (AnswerForm,), {"questions": asked, "members": members, **fields})


def select_fitting(questions: Sequence[Field], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored answers whose format fits their question. Staff may have changed its kind or its options."""
    return {
        question.id: answers[question.id]
        for question in questions
        if question.id in answers and _fits(question, answers[question.id])
    }


def _fits(question: Field, answer: Any) -> bool:
    match question.kind:
        case "choice":
            return answer in [option.id for option in question.options or ()]
        case "number":
            return isinstance(answer, int | float)
        case "date":
            return isinstance(answer, str) and _is_day(answer)
        case "place":
            return isinstance(answer, dict)
        case "file":
            return isinstance(answer, list) and all(map(is_note, answer))
    return isinstance(answer, str)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def fill_answers(questions: Sequence[Field], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Convert answers in the format of `AnswerForm.answers` to initial form values."""
    values: dict[str, Any] = {}
    for question in questions:
        name, answer = _name(question), answers.get(question.id)
        if answer is None:
            continue
        if question.kind == "place":
            values |= {f"{name}-{part}": answer.get(part, "") for part in _PLACE}
        elif question.kind == "date":
            values[name] = date.fromisoformat(answer)
        elif question.kind == "number":
            values[name] = show_number(answer)
        else:
            values[name] = answer
    return values


def _name(question: Field) -> str:
    return f"r-{question.id}"


def _is_part(name: str, question: Field) -> bool:
    return name.startswith(f"{_name(question)}-")


def _make_fields(question: Field, today: date) -> dict[str, Any]:
    name = _name(question)
    label = question.label if question.required else f"{question.label} (opcional)"
    hint = " ".join(filter(None, (question.hint, describe_limits(question, today))))
    demand: list[Any] = [needed("Responda a esta pergunta.") if question.required else Optional()]
    match question.kind:
        case "choice":
            pairs = [(option.id, option.label) for option in question.options or ()]
            if len(pairs) <= _MOST_RADIOS:
                return {name: wtforms.RadioField(label, demand, choices=list_choices(pairs), description=hint)}
            choices = list_choices(pairs, is_asked=True)
            return {name: wtforms.SelectField(label, demand, choices=choices, description=hint)}
        case "number":
            rules = [*demand, _in_range(question)]
            return {name: DecimalCommaField(label, rules, decimals=question.decimals or 0, description=hint)}
        case "date":
            return {name: wtforms.DateField(label, [*demand, _in_days(question, today)], description=hint)}
        case "place":
            return _make_place(question)
    longest = question.max_length or _DEFAULT_LENGTH
    kind = wtforms.StringField if longest <= _LONGEST_LINE else wtforms.TextAreaField
    rules = [*demand, length(question.min_length or 1, longest)]
    return {name: kind(label, rules, description=hint, filters=[_unify_line_ends])}


# The parts of a place: the label, the hint, and the maximum length that the service accepts.
_PLACE: Mapping[str, tuple[str, str, int]] = {
    _ADDRESS: ("Rua e número", "", 200),
    _DISTRICT: ("Bairro (opcional)", "", 100),
    _REFERENCE: ("Ponto de referência (opcional)", "Por exemplo: em frente à padaria.", 200),
}


def _make_place(question: Field) -> dict[str, Any]:
    """Return the fields for a place.

    The address is required if the question is required or another part of the place is filled in.
    """
    name = _name(question)
    fields: dict[str, Any] = {}
    for part, (label, about, longest) in _PLACE.items():
        text: str = label
        rules: list[Any] = [length(0, longest)]
        if part == _ADDRESS and question.required:
            rules += [needed(_NO_STREET), _refuse_blanks]
        elif part == _ADDRESS:
            text, rules = f"{label} (opcional)", [*rules, _complete(name)]
        fields[f"{name}-{part}"] = wtforms.StringField(text, rules, description=about, filters=[_unify_line_ends])
    return fields


def _refuse_blanks(_: Any, field: Any) -> None:
    """Reject an address that consists only of whitespace, which `needed` accepts."""
    if not field.data:
        raise ValidationError(_NO_STREET)


def _complete(name: str) -> Any:
    def check(form: Any, field: Any) -> None:
        others = (form[f"{name}-{part}"].data for part in (_DISTRICT, _REFERENCE))
        if any((text or "").strip() for text in others) and not (field.data or "").strip():
            raise ValidationError("Escreva também a rua e o número.")

    return check


def _in_range(question: Field) -> Any:
    def check(_: Any, field: Any) -> None:
        number = field.number
        if number is None:
            decimals = question.decimals or 0
            text = (
                "Escreva só um número inteiro." if not decimals else f"Escreva um número com até {decimals} decimais."
            )
            raise ValidationError(text)
        if question.minimum is not None and number < Decimal(str(question.minimum)):
            raise ValidationError(f"O menor número é {show_number(question.minimum)}.")
        if question.maximum is not None and number > Decimal(str(question.maximum)):
            raise ValidationError(f"O maior número é {show_number(question.maximum)}.")

    return check


def _in_days(question: Field, today: date) -> Any:
    def check(_: Any, field: Any) -> None:
        if field.data is None:
            raise ValidationError("Escreva uma data que existe.")
        if question.earliest_days is not None and field.data < (first := today + timedelta(question.earliest_days)):
            raise ValidationError(f"O primeiro dia é {format_day(first)}.")
        if question.latest_days is not None and field.data > (last := today + timedelta(question.latest_days)):
            raise ValidationError(f"O último dia é {format_day(last)}.")

    return check


def _unify_line_ends(text: str | None) -> str:
    """Return the answer trimmed and with LF line endings, because CRLF would count as two characters."""
    return (text or "").replace("\r\n", "\n").strip()
