"""The optional body of a rollback."""

from balcao.core.http.decoding import decode
from balcao.search.schema_migrations.schemas import RollbackBody


def rollback(body: bytes) -> RollbackBody:
    """No body is an empty order. Raises Invalid for anything that is no such object."""
    return decode(body, RollbackBody) if body.strip() else RollbackBody()
