"""Error responses in the CRM's format: an array of `{message, errorCode, fields}`."""

from collections.abc import Sequence
from typing import Any


class Refused(Exception):
    def __init__(self, status: int, code: str, message: str, fields: Sequence[str] = ()) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.message = message
        self.fields = list(fields)
        self.headers: dict[str, str] = {}

    @property
    def body(self) -> list[dict[str, Any]]:
        """Return the CRM's error array."""
        return [{"message": self.message, "errorCode": self.code, "fields": self.fields}]


def make_malformed(message: str) -> Refused:
    return Refused(400, "MALFORMED_QUERY", message)


def make_invalid_field(name: str) -> Refused:
    return Refused(400, "INVALID_FIELD", f"No such column '{name}' on entity", [name])


def make_not_found() -> Refused:
    return Refused(404, "NOT_FOUND", "The requested resource does not exist")
