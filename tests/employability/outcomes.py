"""What a call came to."""

import httpx


def outcome(answer: httpx.Response) -> tuple[int, str | None]:
    """Return the status of an answer and, of a refusal, its `Error-Code`."""
    return answer.status_code, answer.headers.get("Error-Code")
