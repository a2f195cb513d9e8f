"""The parts of a refusal that clients compare: the status and the stable code in `Error-Code`."""

import httpx


def refusal(answer: httpx.Response) -> tuple[int, str | None]:
    """Return the status and the error code, which is None for a success."""
    return answer.status_code, answer.headers.get("Error-Code")
