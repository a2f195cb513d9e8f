"""Portuguese terms for the states of requests and for kinds of questions."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from balcao.web.service_requests.client import Field
from balcao.web.words import format_count, format_day

_ID = re.compile(r"`(\w+)`")

STATES = {
    "received": "Recebido",
    "sent": "Encaminhado",
    "in_progress": "Em andamento",
    "needs_information": "Espera uma resposta",
    "done": "Resolvido",
    "refused": "Não atendido",
    "reopened": "Reaberto",
}
CLOSED = frozenset({"done", "refused"})
KINDS = {
    "text": "Texto",
    "choice": "Escolha entre opções",
    "number": "Número",
    "date": "Data",
    "place": "Lugar",
    "file": "Fotos ou documentos",
}


def describe_limits(field: Field, today: date) -> str:
    """Describe the limits of an answer for the person who answers. Return "" if there is nothing to describe."""
    match field.kind:
        case "number":
            return _describe_range(
                None if field.minimum is None else show_number(field.minimum),
                None if field.maximum is None else show_number(field.maximum),
            )
        case "date":
            first, last = (
                None if days is None else format_day(today + timedelta(days))
                for days in (field.earliest_days, field.latest_days)
            )
            return _describe_range(first, last)
        case "text" if (field.min_length or 1) > 1:
            return f"Ao menos {field.min_length} letras."
        case "file":
            most = field.max_files or 1
            return "Um arquivo JPEG, PNG ou PDF." if most == 1 else f"Até {most} arquivos JPEG, PNG ou PDF."
    return ""


def show_number(number: float) -> str:
    """Format a number as people type it: "1500", "2,5"."""
    return f"{Decimal(str(number)).normalize():f}".replace(".", ",")


def _describe_range(first: str | None, last: str | None) -> str:
    if first is not None and last is not None:
        return f"De {first} a {last}."
    if first is not None:
        return f"A partir de {first}."
    return f"Até {last}." if last is not None else ""


def describe_answer(field: Field, answer: Any) -> str:
    """Describe an answer in words. `answer` has the format that the service accepts. Return "" if there is none."""
    if answer in (None, "", []):
        return ""
    match field.kind:
        case "choice":
            return next((option.label for option in field.options or () if option.id == answer), str(answer))
        case "number":
            return show_number(answer)
        case "date":
            return format_day(date.fromisoformat(answer))
        case "place":
            reference = f" ({answer['reference']})" if answer.get("reference") else ""
            return ", ".join(answer[part] for part in ("address", "district") if answer.get(part)) + reference
        case "file":
            return format_count(len(answer), "arquivo", "arquivos")
    return str(answer)


def name_questions(text: str, labels: Mapping[str, str]) -> str:
    """Replace the ids of questions in a service's text with their labels."""
    return _ID.sub(lambda found: f"“{labels.get(found[1], found[1])}”", text)
