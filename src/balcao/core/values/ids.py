"""New identifiers: UUID version 7, so that they sort by the moment of their making."""

import uuid_utils


def new_id() -> str:
    return str(uuid_utils.uuid7())
