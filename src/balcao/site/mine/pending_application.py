"""The application for a job that waits until the citizen has completed the résumé or corrected the personal data.

The pages of the résumé and of the data carry the job's slug in their address or in their form, and lead back to the
application. They never carry an address, so that a link cannot lead to another site.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from balcao.site.mine import client, labels
from balcao.site.mine.client import Criterion, OpenJob
from balcao.site.mine.visit import Visit
from balcao.web.api import gather_blocks

# The query parameter, and the form field, with the job's slug.
JOB = "vaga"
# The part of the résumé that each criterion checks.
_PARTS = {"escolaridade": "formacoes", "area_formacao": "formacoes", "idioma": "idiomas"}


class PendingApplication(NamedTuple):
    """A job for which the citizen wants to apply.

    `missing` are its requirements that the résumé does not meet yet. `is_ready` is True if the citizen meets all
    requirements, so the application has already begun.
    """

    job: OpenJob
    missing: Sequence[Criterion]
    is_ready: bool

    @property
    def query(self) -> dict[str, Any]:
        """Return the query parameters that carry this application to another page."""
        return {JOB: self.job.slug}

    @property
    def page(self) -> str:
        """Return the name of the application's page to which the citizen returns."""
        return "applying.check" if self.is_ready else "applying.begin"


async def read_pending(visit: Visit) -> PendingApplication | None:
    """Return the application that the page carries.

    Return None if the page carries none, or if its job cannot be read.
    """
    slug = next(filter(None, (values.first(JOB) for values in (visit.posted, visit.draft, visit.query))), "")
    if not slug:
        return None
    (job,) = await gather_blocks(client.read_open_job(visit.api, slug))
    if job.value is None:
        return None
    (checked,) = await gather_blocks(client.read_eligibility(visit.api, job.value.id))
    criteria = checked.value.criterios if checked.value else ()
    missing = [one for one in criteria if not one.atendido and one.criterio in _PARTS]
    return PendingApplication(job.value, missing, checked.value is not None and checked.value.elegivel)


def find_remedy(visit: Visit, job: OpenJob, one: Criterion) -> str:
    """Return the address of the page on which the citizen can add or correct what a criterion checks."""
    if one.criterio in _PARTS:
        return visit.address("resume.add_item", _query={JOB: job.slug}, part=_PARTS[one.criterio])
    return visit.address(labels.REMEDIES[one.criterio][0], _query={JOB: job.slug})


def find_return(visit: Visit, pending: PendingApplication | None, otherwise: str) -> str:
    """Return the address to which the citizen returns: the application, or this page if no application waits."""
    return visit.address(pending.page, slug=pending.job.slug) if pending else visit.address(otherwise)
