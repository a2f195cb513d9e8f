"""Job ids in paths, with sandbox jobs as examples."""

from typing import Annotated, TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

from balcao.core.http.parameters import InPath
from balcao.employability.paths import uuid_in_path


def sandbox_job_id(name: str) -> UUID:
    """Return the id of a sandbox job. `name` is one of `V1` to `V12` (rules: employability 7)."""
    return uuid5(NAMESPACE_URL, f"balcao:demo:job:{name}")


def job_in_path(example: str) -> InPath:
    """Describe a job's id in a path. `example` is the name of a sandbox job."""
    return uuid_in_path(sandbox_job_id(example), "Identificador da vaga (UUID)")


# The examples are a draft and a published job.
JobInPath: TypeAlias = Annotated[UUID, job_in_path("V6")]
PublishedJobInPath: TypeAlias = Annotated[UUID, job_in_path("V1")]
