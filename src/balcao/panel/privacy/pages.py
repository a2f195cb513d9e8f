"""Pages for the data protection officer. As at the counter, an attendance identifies the person."""

from typing import Any

from balcao.core.http.responses import Response, attachment
from balcao.panel.attendance import Attendance
from balcao.panel.attendances import service as attendances
from balcao.panel.declaration import Area, Pages
from balcao.panel.privacy import client
from balcao.panel.privacy.forms import SubjectForm
from balcao.panel.privacy.periods import read_period
from balcao.panel.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.lists import Filter, Listing
from balcao.web.person import client as people
from balcao.web.person import labels
from balcao.web.person.changes import PersonPage
from balcao.web.person.client import Subject
from balcao.web.person.erasure import show_erasure
from balcao.web.person.visits import SIZE, group_by_visit
from balcao.web.visit import Crumb

READ, EXPORT, ANONYMISE = "audit:read", "citizen:export", "citizen:anonymise"
FILE_NAME = "dados-do-cidadao.json"
# The reason for reading the audit trail without an attendance. Such a read does not concern one person.
TRAIL_REASON = "Consulta à trilha de acessos"
EVERYTHING = "tudo"
FILTERS = (
    Filter("sobre", "Dados", [(EVERYTHING, "Todos")], unset="De pessoas"),
    Filter("operacao", "Operação"),
    Filter("cliente", "Sistema (cliente)"),
)

pages = Pages("privacy", "/dados")


@pages.get("/trilha", "Trilha de acessos", actions=[READ], in_menu=True)
async def show_trail(visit: Visit) -> Response[Any]:
    """Show who saw or changed whose data in a period. If the period is too long, offer it in parts.

    Events that do not concern a person, such as reading dead-lettered jobs, appear only on request.
    """
    number = visit.query.first("atendimento")
    found = await attendances.find_attendance(visit, number) if number else None
    period = read_period(visit.query.first("de"), visit.query.first("ate"), visit.panel.words.now().date())
    listing = Listing(visit, ("acesso", "acessos"), FILTERS[1:] if found else FILTERS, size=SIZE)
    kept = {"de": period.since.isoformat(), "ate": period.until.isoformat(), "atendimento": number or None}
    if not period.is_too_long:
        events = await client.list_audit_events(
            visit.api,
            since=kept["de"] or "",
            until=kept["ate"] or "",
            cpf=found.cpf.digits if found else None,
            operation=listing.values.get("operacao"),
            client=listing.values.get("cliente"),
            has_subject=None if found or listing.values.get("sobre") == EVERYTHING else True,
            page=listing.number,
            size=listing.size,
            reason=found.reason if found else TRAIL_REASON,
        )
        listing.rows, listing.total = events.data, events.pagination.total
    return visit.render(
        "privacy/trail.html",
        listing=listing,
        period=period,
        kept=kept,
        found=found,
        labels=labels,
        group=group_by_visit,
    )


@pages.form("/titular", "Direitos do titular", actions=[READ, EXPORT, ANONYMISE], in_menu=True)
async def begin(visit: Visit) -> Response[Any]:
    """Ask for the person and the reason."""
    form = SubjectForm(visit)
    if form.is_sent and form.validate() and form.number is not None:
        number = await attendances.begin_attendance(visit, form.number, form.words)
        return await visit.redirect(visit.address("privacy.show_subject", attendance=number))
    opened = await attendances.list_attendances(visit)
    return visit.render("privacy/begin.html", form=form, opened=opened, status=form.status)


@pages.get("/titular/{attendance}", "Titular", actions=[READ, EXPORT, ANONYMISE])
async def show_subject(visit: Visit, attendance: str) -> Response[Any]:
    """Show the latest accesses to this person's data, and the available actions."""
    found = await attendances.find_attendance(visit, attendance)
    period = read_period("", "", visit.panel.words.now().date())
    (accesses,) = await gather_blocks(
        client.list_audit_events(
            visit.api,
            since=period.since.isoformat(),
            until=period.until.isoformat(),
            cpf=found.cpf.digits,
            size=SIZE,
            reason=found.reason,
        )
    )
    return visit.render(
        "privacy/subject.html",
        found=found,
        accesses=accesses,
        labels=labels,
        group=group_by_visit,
        crumbs=[_begin_crumb(visit)],
    )


@pages.get("/titular/{attendance}/consentimentos", "Provas de consentimento", actions=["preferences:read"])
async def list_proofs(visit: Visit, attendance: str) -> Response[Any]:
    """List every choice in the person's preferences ledger, with its channel, time and reason."""
    found = await attendances.find_attendance(visit, attendance)
    listing = Listing(visit, ("escolha", "escolhas"))
    subject = _subject(visit, found)
    choices = await people.list_choices(subject, page=listing.number, size=listing.size)
    (categories,) = await gather_blocks(people.list_categories(visit.api))
    listing.rows, listing.total = choices.data, choices.pagination.total
    named = {one.id: one.name for one in categories.value.categories} if categories.value else {}
    return visit.render(
        "privacy/proofs.html", listing=listing, named=named, labels=labels, crumbs=_crumbs(visit, found)
    )


@pages.post("/titular/{attendance}/copia", "Gerar a cópia", actions=[EXPORT])
async def take_copy(visit: Visit, attendance: str) -> Response[Any]:
    """Return the file with all data stored about the person."""
    found = await attendances.find_attendance(visit, attendance)
    file = await people.download_export(_subject(visit, found))
    return attachment(file.content, FILE_NAME)


@pages.form("/anonimizacao/{attendance}", "Anonimizar", actions=[ANONYMISE])
async def anonymise(visit: Visit, attendance: str) -> Response[Any]:
    """Show the result of a trial anonymisation, and carry out the anonymisation after confirmation."""
    found = await attendances.find_attendance(visit, attendance)
    home = visit.address("privacy.show_subject", attendance=attendance)
    return await show_erasure(visit, PersonPage(_subject(visit, found), home, _crumbs(visit, found)))


@pages.get("/guarda", "Prazos de guarda", actions=[READ], in_menu=True)
async def show_retention(visit: Visit) -> Response[Any]:
    """Show what the nightly retention deletes for each kind of data, and the number of anonymised people."""
    report = await client.read_retention_report(visit.api)
    return visit.render("privacy/retention.html", report=report)


def _subject(visit: Visit, found: Attendance) -> Subject:
    return Subject(visit.api, found.cpf, found.reason)


def _begin_crumb(visit: Visit) -> Crumb:
    return Crumb("Direitos do titular", visit.address("privacy.begin"))


def _crumbs(visit: Visit, found: Attendance) -> list[Crumb]:
    return [
        _begin_crumb(visit),
        Crumb(found.shown_name, visit.address("privacy.show_subject", attendance=found.number)),
    ]


AREA = Area("Dados pessoais", 60, pages)
