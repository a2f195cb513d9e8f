"""Wire types for staff decisions (rules: employability 2.7)."""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.employability.hiring.content.schemas import ID_EXAMPLE
from balcao.employability.hiring.listings.schemas import Reason
from balcao.employability.selection.applications.states import ApplicationStatus
from balcao.employability.texts import parse_uuid_field

MOST_PEOPLE = 1_000

People = Annotated[
    list[str],
    Meta(
        description=f"CPFs dos candidatos, de 1 a {MOST_PEOPLE}; os repetidos contam uma vez.",
        examples=[["90000000175"]],
    ),
]
JobOfPeople = Annotated[str, Meta(description="A vaga (UUID).", examples=[ID_EXAMPLE])]
NewStatus = Annotated[
    str,
    Meta(
        description="`candidatura_enviada`, `aprovada`, `reprovada`, `vaga_congelada` ou `vaga_descontinuada`.",
        examples=["aprovada"],
        extra_json_schema={
            "enum": ["aprovada", "candidatura_enviada", "reprovada", "vaga_congelada", "vaga_descontinuada"]
        },
    ),
]
NewStep = Annotated[
    str | None, Meta(description="Etapa da mesma vaga (UUID); nula ou ausente, nenhuma.", examples=[ID_EXAMPLE])
]


class DecisionBody(msgspec.Struct):
    """The optional body of an approval or a rejection."""

    motivo: Reason = None


class CandidateStatusBody(msgspec.Struct):
    """The new status of an application."""

    status: NewStatus


class CandidateStepBody(msgspec.Struct):
    """The new step of a candidate."""

    id_etapa_atual: NewStep = None


class BulkStatusBody(msgspec.Struct):
    """The new status of several candidates for a job."""

    cpfs: People
    vaga_id: JobOfPeople
    status: NewStatus


class BulkStepBody(msgspec.Struct):
    """The new step of several candidates for a job."""

    cpfs: People
    vaga_id: JobOfPeople
    id_etapa: NewStep = None


class BulkFailure(msgspec.Struct):
    """A person whose application could not be changed, and the reason."""

    cpf: Annotated[str, Meta(description="CPF, como em `failed_cpfs`.", examples=["90000000256"])]
    code: Annotated[
        Literal["application-unknown", "application-state", "own-application"],
        Meta(
            description="Por quê: sem candidatura à vaga, mudança que a situação não permite, ou a de quem decide.",
            examples=["application-state"],
        ),
    ]
    status: Annotated[
        ApplicationStatus | None,
        Meta(description="Situação da candidatura, como aparece; nulo sem candidatura.", examples=["reprovada"]),
    ]


class BulkResult(msgspec.Struct):
    """The result of a bulk change."""

    updated: Annotated[
        int, Meta(description="Candidaturas que agora estão como pedido; as que já estavam contam.", examples=[12])
    ]
    failed_cpfs: Annotated[
        list[str],
        Meta(description="CPFs sem candidatura à vaga, ou cuja mudança não é possível.", examples=[["90000000256"]]),
    ]
    failures: Annotated[
        list[BulkFailure], Meta(description="Os mesmos CPFs, na mesma ordem, cada um com o código do motivo.")
    ]

    @classmethod
    def of(cls, asked: int, failures: list[BulkFailure]) -> "BulkResult":
        """Create the result of a change that was requested for `asked` people."""
        return cls(asked - len(failures), [failure.cpf for failure in failures], failures)


def parse_people(cpfs: Sequence[str]) -> list[Cpf]:
    """Parse the CPFs, remove duplicates and keep the order.

    Raises Invalid for a malformed CPF, no CPF, or more than MOST_PEOPLE.
    """
    people = list(dict.fromkeys(Cpf.parse_claim(text) for text in cpfs[: MOST_PEOPLE + 1]))
    if not 1 <= len(cpfs) <= MOST_PEOPLE:
        raise Invalid(f"O campo `cpfs` deve ter de 1 a {MOST_PEOPLE} CPFs.", code="cpfs-invalid")
    if None in people:
        raise Invalid("O campo `cpfs` tem um item que não é um CPF de 11 dígitos.", code="cpfs-invalid")
    return [cpf for cpf in people if cpf is not None]


def parse_step(field: str, text: str | None) -> UUID | None:
    """Parse the id of a step, or return None if it is absent or blank. Raises Invalid if it is malformed."""
    return None if text is None or not text.strip() else parse_uuid_field(field, text)
