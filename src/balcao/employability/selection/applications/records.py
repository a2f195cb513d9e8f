"""An application as stored, and how it is shown together with its job."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.registry_people import PersonRecord
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.selection.applications.schemas import Answer, Application
from balcao.employability.selection.applications.states import ApplicationStatus, list_open_events, show_status


class ApplicationPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where an application stands; `status` is its own."""

    id: UUID
    cpf: str | None
    status: ApplicationStatus
    id_etapa_atual: UUID | None


class StoredApplication(ApplicationPosition, frozen=True, kw_only=True):
    """A row."""

    nome: str | None
    email: str | None
    id_vaga: UUID
    respostas: list[Answer]
    curriculo_snapshot: Resume | None
    created_at: datetime
    updated_at: datetime


class ListedApplication(StoredApplication, frozen=True, kw_only=True):
    """A row, with the copy of what the registry said of its person."""

    record: PersonRecord | None


class Earlier(NamedTuple):
    """How many of a person's applications for a job live, none or one, how many were withdrawn, and what terms hold."""

    live: int
    withdrawn: int
    terms: str | None


class Submission(NamedTuple):
    """What is stored of an application that is made, and what it was decided on."""

    application: StoredApplication
    origin: str
    failed: Sequence[str]
    author: str | None
    job_updated_at: datetime
    resume_version: int | None
    most_withdrawals: int
    email_job: str
    email_kind: str
    refresh_job: str
    refresh: bytes | None
    trail: str


def show_application(stored: StoredApplication, job: JobSummary) -> Application:
    """Return an application as it is shown while its job is as given."""
    shown = show_status(stored.status, job.status)
    return Application(
        id=stored.id,
        cpf=stored.cpf,
        nome=stored.nome,
        email=stored.email,
        id_vaga=stored.id_vaga,
        status=shown,
        status_anterior=None if shown is stored.status else stored.status,
        id_etapa_atual=stored.id_etapa_atual,
        etapa_atual=next((step for step in job.etapas if step.id == stored.id_etapa_atual), None),
        respostas_info_complementares=stored.respostas,
        curriculo_snapshot=stored.curriculo_snapshot,
        vaga=job,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )


def show_to(
    stored: StoredApplication, job: JobSummary, *, is_candidate: bool, holds: Callable[[str], bool]
) -> Application:
    """Return an application with what this caller may do with it now."""
    open_events = list_open_events(
        stored.status,
        job.status,
        has_step=stored.id_etapa_atual is not None,
        is_candidate=is_candidate,
        holds=holds,
    )
    return msgspec.structs.replace(show_application(stored, job), acoes_permitidas=open_events)


class RestoredApplication(msgspec.Struct, frozen=True, kw_only=True):
    """An application as it stood elsewhere; `has_resume` says that the person's resume is kept here."""

    id: UUID
    cpf: str
    nome: str
    job: UUID
    status: ApplicationStatus
    step: UUID | None
    made_at: datetime
    has_resume: bool
    resume: Resume | None = None
