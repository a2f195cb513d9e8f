"""The area “Trabalho”: jobs and their candidates, companies, lists of values, the resume bank, and older jobs."""

from balcao.panel.declaration import Area, Finder, Pages, Waiting
from balcao.panel.jobs import (
    bank_pages,
    bulk_pages,
    candidate_pages,
    company_pages,
    editing_pages,
    listing_pages,
    older_pages,
    reference_pages,
)

_PARTS = (
    listing_pages,
    editing_pages,
    candidate_pages,
    bulk_pages,
    company_pages,
    bank_pages,
    reference_pages,
    older_pages,
)
pages = Pages("jobs", "", [part.pages for part in _PARTS])

AREA = Area(
    "Trabalho",
    30,
    pages,
    waiting=[
        Waiting([listing_pages.PUBLISH], listing_pages.find_jobs_to_approve, "jobs.list_jobs"),
        Waiting([candidate_pages.DECIDE], bulk_pages.find_decisions),
    ],
    finders=[Finder([listing_pages.READ], listing_pages.find_jobs)],
)
