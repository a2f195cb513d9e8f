"""The page for erasing data that the city is not required to keep: a trial, a confirmation and a report."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.web.person.changes import Erasure, PersonPage, erase, rehearse
from balcao.web.person.forms import EraseForm
from balcao.web.person.labels import name_kind
from balcao.web.visit import SessionVisit

_REHEARSE = "simular"


async def show_erasure(visit: SessionVisit, page: PersonPage) -> Response[Any]:
    """Explain an anonymisation. The first button shows its effects, and the second button carries it out."""
    if not visit.is_post:
        return _render(visit, page, None, None)
    if visit.posted.first("passo") == _REHEARSE:
        found = await rehearse(page.subject)
        return _render(visit, page, found, _make_form(visit, found))
    form = EraseForm(visit)
    if form.validate():
        found = await erase(page.subject, form.confirmation.data or "")
        return _render(visit, page, found, None if found.is_done else _make_form(visit, found))
    again = await rehearse(page.subject)
    if again.report is not None:
        form.confirmation.data = again.report.confirmation
    return _render(visit, page, again, form, status=form.status)


def _make_form(visit: SessionVisit, found: Erasure) -> EraseForm | None:
    """Return an empty form that contains the confirmation for this trial. Return None if the trial was refused."""
    if found.report is None:
        return None
    form = EraseForm(visit, is_sent=False)
    form.confirmation.data = found.report.confirmation
    form.word.data = ""
    return form


def _render(
    visit: SessionVisit, page: PersonPage, found: Erasure | None, form: EraseForm | None, *, status: int = 200
) -> Response[Any]:
    return visit.render(
        "person/erasure.html",
        found=found,
        form=form,
        person_page=page,
        crumbs=page.crumbs,
        name_kind=name_kind,
        status=status,
    )
