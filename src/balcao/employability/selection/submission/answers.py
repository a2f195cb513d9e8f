"""Checks answers to a job's questions according to the type of each question (rules: employability 4.5)."""

import re
from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

from balcao.core.errors import Invalid
from balcao.core.values.ids import parse_uuid
from balcao.employability.hiring.content.schemas import Question
from balcao.employability.selection.applications.schemas import Answer
from balcao.employability.selection.submission.schemas import AnswerBody
from balcao.employability.texts import clean_prose

FIELD = "respostas_info_complementares"
LONGEST_ANSWER = 2000
SEPARATOR = ", "
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:[.,][0-9]{1,30})?")
# If one option contains another, an answer can be split in exponentially many ways. Realistic options need few tries,
# and this limit ends any longer search.
MOST_TRIES = 20_000


def check_answers(questions: Sequence[Question], sent: Sequence[AnswerBody]) -> list[Answer]:
    """Return the answers to store, in the order of the questions. An empty answer counts as absent.

    Raises Invalid for an unknown or repeated question, a required question without an answer, or an answer that its
    question does not allow. The message never contains the answer.
    """
    # Any answer beyond the number of questions is unknown or a duplicate, so reading one extra is enough.
    texts = _read(sent[: len(questions) + 1])
    if texts.keys() - {question.id for question in questions}:
        raise Invalid(_describe("tem uma pergunta que não é desta vaga"), code="answer-foreign")
    found = []
    for place, question in enumerate(questions):
        text = texts.get(question.id, "")
        if text:
            _check(question, text, place)
            found.append(Answer(question.id, question.titulo, text))
        elif question.obrigatorio:
            raise Invalid(_describe(f"não tem a resposta obrigatória à pergunta {place + 1}"), code="answer-missing")
    return found


def split_options(text: str, options: Sequence[str]) -> list[str] | None:
    """Split a string that consists of options joined by `, `.

    Return None if it contains anything else, or an option twice.

    Options can contain `, ` themselves. The search tries the longest option first and backtracks if the rest does not
    fit. It gives up and returns None after it has tried MOST_TRIES options.
    """
    longest_first = sorted(options, key=len, reverse=True)
    tries = 0

    def split(rest: str, taken: tuple[str, ...]) -> tuple[str, ...] | None:
        nonlocal tries
        for option in longest_first:
            tries += 1
            if tries > MOST_TRIES:
                return None
            if option in taken or not rest.startswith(option):
                continue
            if len(rest) == len(option):
                return (*taken, option)
            behind = rest[len(option) :]
            if behind.startswith(SEPARATOR) and (found := split(behind[len(SEPARATOR) :], (*taken, option))):
                return found
        return None

    found = split(text, ())
    return None if found is None else list(found)


def _read(sent: Sequence[AnswerBody]) -> dict[UUID, str]:
    texts: dict[UUID, str] = {}
    for answer in sent:
        id_ = parse_uuid(answer.id_info.strip())
        if id_ is None:
            raise Invalid(_describe("tem um `id_info` que não é um UUID"), code="answer-foreign")
        if id_ in texts:
            raise Invalid(_describe("tem duas respostas à mesma pergunta"), code="answer-twice")
        texts[id_] = clean_prose(f"{FIELD}.resposta", _to_text(answer.resposta), LONGEST_ANSWER)
    return texts


def _to_text(value: str | int | float | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _check(question: Question, text: str, place: int) -> None:
    match question.tipo_campo:
        case "resposta_numerica":
            fits = _is_within(text, question.valor_minimo, question.valor_maximo)
        case "selecao_unica":
            fits = text in (question.opcoes or ())
        case "selecao_multipla":
            fits = split_options(text, question.opcoes or ()) is not None
        case _:
            fits = True
    if not fits:
        raise Invalid(_describe(f"tem uma resposta que a pergunta {place + 1} não aceita"), code="answer-invalid")


def _is_within(text: str, lowest: int | None, highest: int | None) -> bool:
    """Return whether the string is a decimal number within the bounds. Thousands separators are not allowed."""
    if not _NUMBER.fullmatch(text):
        return False
    number = Decimal(text.replace(",", "."))
    return (lowest is None or number >= lowest) and (highest is None or number <= highest)


def _describe(fault: str) -> str:
    return f"O campo `{FIELD}` {fault}."
