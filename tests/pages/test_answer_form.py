"""The form that asks the questions of a request type: valid and invalid input, and the answers that it produces."""

from datetime import date
from typing import Any

import msgspec
import pytest
from jinja2 import Environment

from balcao.core.http.forms import FormData
from balcao.registry.requests.types.kinds import Field as ServiceField
from balcao.registry.requests.types.kinds import check_field, parse_answers
from balcao.web.service_requests.client import Field
from balcao.web.service_requests.forms import AnswerForm, fill_answers, make_answer_form
from balcao.web.visit import PageRequest

TODAY = date(2026, 11, 28)
QUESTIONS: list[dict[str, Any]] = [
    {"id": "status", "kind": "text", "label": "O que houve?", "required": True, "min_length": 5, "max_length": 300},
    {
        "id": "data",
        "kind": "choice",
        "label": "Qual?",
        "required": True,
        "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}],
    },
    {"id": "local", "kind": "place", "label": "Onde?"},
    {"id": "local_address", "kind": "text", "label": "Complemento"},
    {"id": "quanto", "kind": "number", "label": "Quanto?", "minimum": 0.5, "maximum": 1500, "decimals": 2},
    {"id": "dia", "kind": "date", "label": "Quando?", "earliest_days": 1, "latest_days": 60},
    {
        "id": "muitas",
        "kind": "choice",
        "label": "Qual destas?",
        "options": [{"id": f"o{n}", "label": f"Opção {n}"} for n in range(8)],
    },
    {"id": "fotos", "kind": "file", "label": "Fotos"},
]
COMPLETE = {
    "r-status": "Caiu\r\num galho",
    "r-data": "b",
    "r-local-address": " Rua A, 1 ",
    "r-local-district": "",
    "r-local-reference": "ao lado da praça",
    "r-local_address": "fundos",
    "r-quanto": "1500,00",
    "r-dia": "2026-11-29",
    "r-muitas": "o7",
}


def make_form(typed: dict[str, str]) -> AnswerForm:
    class Request:
        method = "POST"

    posted = FormData({name: [text] for name, text in typed.items()})
    visit = PageRequest(Request(), Environment(autoescape=True), posted)  # type: ignore[arg-type]
    return make_answer_form(msgspec.convert(QUESTIONS, list[Field]), TODAY)(visit)


def test_the_service_accepts_and_keeps_what_the_form_makes_of_the_typed_texts() -> None:
    form = make_form(COMPLETE)
    assert form.validate(), form.errors
    fields = [check_field(field) for field in msgspec.convert(QUESTIONS, list[ServiceField])]
    assert parse_answers(fields, form.answers, TODAY, anonymous=False) == {
        "status": "Caiu\num galho",
        "data": "b",
        "local": {"address": "Rua A, 1", "reference": "ao lado da praça"},
        "local_address": "fundos",
        "quanto": 1500,
        "dia": "2026-11-29",
        "muitas": "o7",
    }


def test_a_form_filled_from_answers_makes_the_same_answers() -> None:
    questions = msgspec.convert(QUESTIONS, list[Field])
    answers = make_form(COMPLETE).answers | {"quanto": 0.75}
    filled = fill_answers(questions, answers)
    typed = {name: value.isoformat() if isinstance(value, date) else value for name, value in filled.items()}
    assert make_form(typed).answers == answers


def test_questions_that_may_be_left_out_make_no_answer() -> None:
    form = make_form({"r-status": "Caiu um galho", "r-data": "a", "r-muitas": "", "r-quanto": " ", "r-dia": ""})
    assert form.validate(), form.errors
    assert form.answers == {"status": "Caiu um galho", "data": "a"}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("r-status", ""),
        ("r-status", "Caiu"),
        ("r-status", "x" * 301),
        ("r-data", ""),
        ("r-data", "c"),
        ("r-local-address", ""),  # required, because the reference is filled in
        ("r-local-address", "x" * 201),
        ("r-quanto", "muito"),
        ("r-quanto", "1,005"),
        ("r-quanto", "0,4"),
        ("r-quanto", "1501"),
        ("r-quanto", "1e3"),
        ("r-dia", "2026-11-28"),
        ("r-dia", "2027-02-28"),
        ("r-dia", "amanhã"),
        ("r-muitas", "o8"),
    ],
)
def test_a_wrong_answer_is_marked_at_its_own_field(name: str, typed: str) -> None:
    form = make_form(COMPLETE | {name: typed})
    assert not form.validate()
    assert list(form.errors) == [name]


def test_each_question_names_its_fields_and_a_file_is_not_one_of_them() -> None:
    asked = {one.question.id: [field.name for field in one.fields] for one in make_form({}).list_asked()}
    assert asked["local"] == ["r-local-address", "r-local-district", "r-local-reference"]
    assert asked["local_address"] == ["r-local_address"]
    assert "fotos" not in asked


def test_the_label_says_what_may_be_left_out_and_the_hint_what_an_answer_may_be() -> None:
    asked = {one.question.id: one.fields[0] for one in make_form({}).list_asked()}
    assert asked["status"].label.text == "O que houve?"
    assert asked["quanto"].label.text == "Quanto? (opcional)"
    assert asked["quanto"].description == "De 0,5 a 1500."
    assert asked["dia"].description == "De 29/11/2026 a 27/01/2027."
