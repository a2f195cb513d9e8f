"""API operations on a citizen's own requests that only Minha página uses."""

from balcao.web.api import quoted
from balcao.web.person.client import Subject
from balcao.web.service_requests.client import ServiceRequest


async def rate_request(subject: Subject, number: str, stars: int, comment: str, key: str) -> ServiceRequest:
    """Rate a closed request."""
    body = {"stars": stars, "comment": comment or None}
    return await subject.send("POST", f"/maintenance-request/{quoted(number)}/rating", ServiceRequest, body, key=key)


def find_question(one: ServiceRequest) -> str:
    """Return the question that waits for the citizen's answer, or an empty string."""
    if one.state != "needs_information":
        return ""
    return next((step.text or "" for step in reversed(one.steps) if step.state == one.state), "")
