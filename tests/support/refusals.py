"""The parts of a refusal that clients compare: the status and the stable value of `Error-Code`."""

import httpx


def refusal(answer: httpx.Response) -> tuple[int, str | None]:
    """Return status and code. The code of a success is None."""
    return answer.status_code, answer.headers.get("Error-Code")
