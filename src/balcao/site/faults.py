"""The site's error pages, with messages that citizens understand."""

from datetime import datetime

from balcao.core.errors import BalcaoError, TooMany
from balcao.site.reading.machine import Crowded
from balcao.site.reading.reader import Exceeded
from balcao.web.api import ApiFault, InMaintenance, NotFound, RateLimited, ValidationFailed
from balcao.web.faults import PageFault

NOT_FOUND = "Página não encontrada"


class Outage(PageFault):
    """The error page for a service that is down.

    `subject` names its data, and `since` is the time at which its calls began to fail.
    """

    def __init__(self, subject: str, since: datetime | None, fault: ApiFault) -> None:
        retry_after = fault.retry_after if isinstance(fault, InMaintenance | RateLimited) else 5
        super().__init__(
            503, f"{subject[:1].upper()}{subject[1:]} não respondem agora", "", request_id="", retry_after=retry_after
        )
        self.subject = subject
        self.since = since
        self.message = fault.text if isinstance(fault, InMaintenance) else ""


def make_not_found() -> PageFault:
    """Return the error page for an address that does not exist."""
    return PageFault(404, NOT_FOUND, "O endereço pode ter mudado, ou o serviço deixou de existir.")


def make_foreign_form() -> PageFault:
    """Return the error page for a form that was sent from another site."""
    return PageFault(403, "Este pedido veio de outro site", "Abra a página neste site e tente de novo.")


def describe_fault(fault: BalcaoError) -> PageFault:
    """Return the error page for an error of the site itself, or for a refused request."""
    match fault.status:
        case 404:
            return make_not_found()
        case 405:
            return PageFault(
                405, "Isto não se abre por um endereço", "Volte à página em que estava ou comece pelo início."
            )
        case 429:
            seconds = fault.retry_after or 1
            text = f"Espere {seconds} {'segundo' if seconds == 1 else 'segundos'} e tente de novo."
            return PageFault(429, "Muitas páginas em pouco tempo", text, retry_after=seconds)
        case status if status < 500:
            return PageFault(status, "O endereço não está certo", "Confira o que você escreveu ou busque de novo.")
        case status:
            text = "Não é com você. A equipe do site já foi avisada."
            return PageFault(status, "O site não conseguiu responder", text, retry_after=5)


def describe_api_fault(fault: ApiFault, subject: str, since: datetime | None) -> PageFault:
    """Return the error page for a failed API call without which the page cannot be shown."""
    if isinstance(fault, NotFound):
        return make_not_found()
    if isinstance(fault, ValidationFailed):
        return PageFault(400, "O endereço não está certo", "Confira o que você escreveu ou busque de novo.")
    if isinstance(fault, Crowded):
        text = "Espere alguns segundos e abra a página de novo. Se tiver pressa, telefone."
        return PageFault(503, "Há muita gente no site agora", text, retry_after=5)
    if isinstance(fault, Exceeded):
        return describe_fault(TooMany(retry_after=fault.retry_after))
    return Outage(subject, since, fault)
