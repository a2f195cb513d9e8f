"""Checkbox values that identify candidates in a list, and descriptions of a decision's progress."""

import base64

import msgspec

from balcao.panel.jobs.bulk.service import Decision, Person
from balcao.panel.jobs.candidates_client import Candidate
from balcao.web.sealing import InvalidSeal, Sealer
from balcao.web.words import format_count, format_number


def describe_result(decision: Decision) -> str:
    """Describe a decision's progress: "212 feitas, 2 não puderam"."""
    done = format_count(decision.done, "feita", "feitas")
    if decision.failed:
        done += f", {format_count(decision.failed, 'não pôde', 'não puderam')}"
    if decision.state in {"running", "paused", "stopped"}:
        done += f", de {format_number(decision.total)}"
    return done


def seal_person(sealer: Sealer, job: str, candidate: Candidate) -> str:
    """Return the checkbox value for a candidate. The value is encrypted and valid only for this job."""
    content = msgspec.json.encode(to_person(candidate))
    return base64.urlsafe_b64encode(sealer.seal(b"candidate" + job.encode(), content)).decode()


def open_person(sealer: Sealer, job: str, text: str) -> Person | None:
    """Return the candidate that a checkbox value identifies, or None if the value is invalid."""
    try:
        opened = sealer.open(b"candidate" + job.encode(), base64.urlsafe_b64decode(text))
        return msgspec.json.decode(opened, type=Person)
    except (InvalidSeal, ValueError):
        return None


def to_person(candidate: Candidate) -> Person:
    return Person(candidate.cpf or "", candidate.name, candidate.id_etapa_atual, candidate.id)
