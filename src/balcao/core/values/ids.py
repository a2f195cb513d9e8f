"""New identifiers: UUID version 7, so that they sort by the moment of their creation."""

import uuid_utils


def new_id() -> str:
    """Return a new identifier in its canonical text form."""
    return str(uuid_utils.uuid7())
