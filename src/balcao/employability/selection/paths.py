"""Application ids in paths, with sandbox applications as examples."""

from typing import Annotated, TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

from balcao.employability.paths import uuid_in_path


def sandbox_application_id(name: str) -> UUID:
    """Return the id of a sandbox application. Its name consists of the person and the job, for example `ana-V1`."""
    return uuid5(NAMESPACE_URL, f"balcao:demo:application:{name}")


ApplicationInPath: TypeAlias = Annotated[UUID, uuid_in_path(sandbox_application_id("ana-V1"))]
OpenApplicationInPath: TypeAlias = Annotated[UUID, uuid_in_path(sandbox_application_id("elisa-V5"))]
