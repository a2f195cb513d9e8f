"""What a client compares of an answer: the status and the stable word in `Error-Code`."""

import httpx


def refusal(answer: httpx.Response) -> tuple[int, str | None]:
    """Return status and code; the code of a success is None."""
    return answer.status_code, answer.headers.get("Error-Code")
