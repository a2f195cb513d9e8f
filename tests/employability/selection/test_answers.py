"""Answers to a job's questions (rules: employability 4.5)."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.employability.hiring.content.schemas import Question
from balcao.employability.selection.submission.answers import SEPARATOR, check_answers, split_options
from balcao.employability.selection.submission.schemas import AnswerBody
from tests.employability.selection.application_bodies import person
from tests.employability.selection.conftest import Apply, Publish
from tests.support.proof_sizes import EXAMPLES
from tests.support.rules import read_values

NOW = datetime(2026, 11, 22, tzinfo=UTC)
# With few letters and the separator itself, an option is often a prefix of another option.
OPTIONS = st.lists(
    st.lists(st.sampled_from(["a", "b", "a, a", "a, b", ","]), min_size=1, max_size=3).map(SEPARATOR.join),
    min_size=1,
    max_size=6,
    unique=True,
)


def question(kind: str, *, required: bool = False, **members: Any) -> Question:
    whole: dict[str, Any] = {"valor_minimo": None, "valor_maximo": None, "opcoes": None} | members
    return Question(
        id=uuid4(),
        id_vaga=UUID(int=1),
        titulo="Pergunta",
        obrigatorio=required,
        tipo_campo=kind,
        created_at=NOW,
        updated_at=NOW,
        **whole,
    )


def check(asked: Question, answer: Any) -> list[str]:
    return [each.resposta for each in check_answers([asked], [AnswerBody(str(asked.id), answer)])]


@pytest.mark.cases("employability", "48")
@settings(max_examples=EXAMPLES)
@given(OPTIONS, st.randoms())
def test_every_choice_among_the_options_is_taken_apart_again(options: list[str], chance: Any) -> None:
    chosen = chance.sample(options, chance.randint(1, len(options)))
    text = SEPARATOR.join(chosen)
    found = split_options(text, options)
    assert found is not None
    # Different choices may result in the same string, so the test accepts any of them.
    assert SEPARATOR.join(found) == text
    assert len(set(found)) == len(found)
    assert set(found) <= set(options)


@settings(max_examples=EXAMPLES)
@given(OPTIONS, st.lists(st.sampled_from(["a", "b", ",", " ", ", "]), max_size=8).map("".join))
def test_nothing_else_is_taken_for_a_choice(options: list[str], text: str) -> None:
    found = split_options(text, options)
    assert found is None or (SEPARATOR.join(found) == text and len(set(found)) == len(found))
    if found is None:
        assert text not in options


def test_the_longest_option_is_taken_back_where_the_rest_fails() -> None:
    assert split_options("a, b, c", ["a, b", "a", "b, c"]) == ["a", "b, c"]
    assert split_options("Sim, sempre, Não", ["Sim, sempre", "Não"]) == ["Sim, sempre", "Não"]
    assert split_options("Não, Não", ["Sim, sempre", "Não"]) is None


def test_options_that_can_be_read_in_very_many_ways_are_given_up() -> None:
    options = [", ".join(["a"] * length) for length in range(1, 40)]
    assert split_options(", ".join(["a"] * 600) + "x", options) is None


@pytest.mark.cases("employability", "47")
@pytest.mark.parametrize(("answer", "is_taken"), read_values("employability", "47"), ids=repr)
def test_a_number_has_one_separator_and_keeps_to_its_bounds(answer: Any, is_taken: bool) -> None:
    asked = question("resposta_numerica", valor_minimo=0, valor_maximo=10)
    if is_taken:
        assert check(asked, answer) == [str(answer)]
    else:
        with pytest.raises(Invalid) as refused:
            check(asked, answer)
        assert refused.value.code == "answer-invalid"


@pytest.mark.cases("employability", "48")
def test_an_empty_answer_is_none_and_refused_where_one_is_demanded() -> None:
    for empty in ("", "  ", None):
        assert check(question("selecao_unica", opcoes=["a"]), empty) == []
        with pytest.raises(Invalid) as refused:
            check(question("resposta_curta", required=True), empty)
        assert refused.value.code == "answer-missing"
    with pytest.raises(Invalid):
        check_answers([question("resposta_curta", required=True)], [])


@pytest.mark.cases("employability", "47")
def test_each_question_is_the_jobs_own_and_answered_once() -> None:
    asked = question("resposta_curta")
    for sent, code in (
        ([AnswerBody(str(uuid4()), "x")], "answer-foreign"),
        ([AnswerBody("x", "x")], "answer-foreign"),
        ([AnswerBody(str(asked.id), "x"), AnswerBody(str(asked.id).upper(), "y")], "answer-twice"),
        ([AnswerBody(str(asked.id), "x" * 2001)], "respostas_info_complementares.resposta-length"),
    ):
        with pytest.raises(Invalid) as refused:
            check_answers([asked], sent)
        assert refused.value.code == code
        assert "xx" not in refused.value.message


@pytest.mark.cases("employability", "47")
def test_over_http_wrong_answers_are_refused_and_right_ones_stored(
    publish: Publish, apply: Apply, http: httpx.Client
) -> None:
    job = publish(
        informacoes_complementares=[
            {
                "titulo": "Turnos?",
                "tipo_campo": "selecao_multipla",
                "opcoes": ["Sim, sempre", "Não"],
                "obrigatorio": True,
            },
            {"titulo": "Anos?", "tipo_campo": "resposta_numerica", "valor_minimo": 0, "valor_maximo": 50},
        ]
    )
    shifts, years = (each["id"] for each in job["informacoes_complementares"])
    other = publish()["informacoes_complementares"][0]["id"]
    right = {"id_info": shifts, "resposta": "Sim, sempre, Não"}
    wrong: tuple[list[dict[str, Any]], ...] = (
        [],
        [{"id_info": shifts, "resposta": "Talvez"}],
        [right, {"id_info": years, "resposta": "51"}],
        [right, {"id_info": other, "resposta": "x"}],
        [right, {"id_info": years, "resposta": ["1"]}],
    )
    for answers in wrong:
        refused = apply(job, person(300), {"respostas_info_complementares": answers})
        assert (refused.status_code, "respostas_info_complementares" in refused.json()["error"]) == (400, True)
    made = apply(job, person(300), {"respostas_info_complementares": [{"id_info": years, "resposta": ""}, right]})
    assert made.json()["respostas_info_complementares"] == [
        {"id_info": shifts, "titulo": "Turnos?", "resposta": "Sim, sempre, Não"}
    ]
