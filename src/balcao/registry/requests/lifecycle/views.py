"""Convert stored requests to the forms in which citizens and staff see them."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET

from balcao.core.values.cpf import Cpf
from balcao.registry.requests.lifecycle.schemas import (
    Answer,
    FollowedRequest,
    FollowedStep,
    HandledRequest,
    Rating,
    ServiceRequest,
    Step,
)
from balcao.registry.requests.lifecycle.states import find_reopening_end
from balcao.registry.requests.lifecycle.store import NumberedStep, StoredRequest
from balcao.registry.requests.types.kinds import format_answer, list_files
from balcao.registry.requests.types.schemas import RequestType


def to_answers(kind: RequestType, answers: Mapping[str, Any]) -> list[Answer]:
    """Return the answers with their questions, in the order in which the form asks them."""
    return [
        Answer(
            field=field.id,
            label=field.label,
            kind=field.kind,
            value=answers[field.id],
            text=format_answer(field, answers[field.id]),
        )
        for field in kind.fields
        if field.id in answers
    ]


def list_request_files(row: StoredRequest, kind: RequestType, steps: Sequence[NumberedStep]) -> set[UUID]:
    """Return the ids of all files of a request: those of the form's answers, and those of the citizen's later ones."""
    of_form = {id_ for ids in list_files(kind.fields, row.answers).values() for id_ in ids}
    return of_form | {UUID(id_) for step in steps for id_ in step.files}


def to_request(row: StoredRequest, kind: RequestType, steps: Sequence[NumberedStep]) -> ServiceRequest:
    """Return a request as its citizen sees it."""
    return ServiceRequest(**_members(row, kind, steps))


def to_handled(row: StoredRequest, kind: RequestType, steps: Sequence[NumberedStep]) -> HandledRequest:
    """Return a request as staff see it."""
    return HandledRequest(**_members(row, kind, steps), cpf=Cpf(row.owner).masked if row.owner else None)


def _members(row: StoredRequest, kind: RequestType, steps: Sequence[NumberedStep]) -> dict[str, Any]:
    return {
        "number": row.number,
        "type": row.type,
        "version": row.version,
        "name": kind.name,
        "category": kind.category,
        "service_id": kind.service_id,
        "state": row.state,
        "protocol": row.protocol,
        "answers": to_answers(kind, row.answers),
        "departments": row.departments,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "deadline": row.deadline,
        "closed_at": row.closed_at,
        "reopen_until": find_reopening_end(row.closed_at),
        "rating": _to_rating(row),
        "steps": [_to_step(step) for step in steps],
    }


def _to_step(step: NumberedStep) -> Step:
    return Step(state=step.state, text=step.text, author=step.author, at=step.at, files=step.files or UNSET)


def _to_rating(row: StoredRequest) -> Rating | None:
    if row.stars is None or row.rated_at is None:
        return None
    return Rating(stars=row.stars, comment=row.comment, at=row.rated_at)


def to_followed(row: StoredRequest, steps: Sequence[NumberedStep]) -> FollowedRequest:
    """Return the part of a request that its number and code give access to: no text, no place and no name."""
    return FollowedRequest(
        number=row.number,
        state=row.state,
        deadline=row.deadline,
        steps=[FollowedStep(state=step.state, at=step.at) for step in steps if step.state is not None],
    )
