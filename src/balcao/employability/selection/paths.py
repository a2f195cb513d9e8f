"""Application ids in paths. The examples are applications of the sandbox."""

from typing import Annotated, TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

from balcao.employability.paths import uuid_in_path


def sandbox_application_id(name: str) -> UUID:
    """Return the id of an application of the sandbox. Its name consists of person and job, such as `ana-V1`."""
    return uuid5(NAMESPACE_URL, f"balcao:demo:application:{name}")


ApplicationInPath: TypeAlias = Annotated[UUID, uuid_in_path(sandbox_application_id("ana-V1"))]
OpenApplicationInPath: TypeAlias = Annotated[UUID, uuid_in_path(sandbox_application_id("elisa-V5"))]
