"""Pages for an attendance: the citizen, the reason, and the citizen's data."""

from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response, attachment
from balcao.core.values.cpf import Cpf
from balcao.panel.attendance import Attendance
from balcao.panel.attendances import service as attendances
from balcao.panel.counter import client
from balcao.panel.counter.forms import AttendanceForm, ChoiceForm
from balcao.panel.declaration import Item, Pages
from balcao.panel.visit import Visit
from balcao.web.api import Block, NotAllowed, NotFound, gather_blocks
from balcao.web.person import changes, labels
from balcao.web.person import client as people
from balcao.web.person.changes import PersonPage
from balcao.web.person.client import Subject
from balcao.web.person.visits import SIZE, group_by_visit
from balcao.web.visit import Crumb

READ, WRITE, SEARCH = "citizen:read", "citizen:write", "citizen:search"
PREFERENCES = "preferences:write"
FILE_NAME = "dados-do-cidadao.json"

pages = Pages("counter", "")


@pages.form("/atendimento", "Atendimento", actions=[READ], in_menu=True)
async def begin(visit: Visit) -> Response[Any]:
    """Ask for the citizen and the reason. The panel reads no data before both are given."""
    asked = visit.posted.first("q")  # "Ir para" passes on a CPF, but no reason
    form = AttendanceForm(visit, is_sent=not asked)
    if asked:
        form.cpf.data = asked
    if form.is_sent and form.validate():
        if form.number is not None:
            return await _begin(visit, form.number, form.words)
        if await form.submit(lambda: client.search_citizens(visit.api, form.search_terms, form.words)):
            found = form.result.data
            return visit.render("counter/found.html", found=found, reason=form.words, crumbs=[_begin_crumb(visit)])
    may_search = visit.may(SEARCH)
    opened = await attendances.list_attendances(visit)
    return visit.render("counter/begin.html", form=form, may_search=may_search, opened=opened, status=form.status)


@pages.post("/atendimento/escolher", "Escolher a pessoa", actions=[SEARCH])
async def choose(visit: Visit) -> Response[Any]:
    """Start an attendance for the selected person."""
    form = ChoiceForm(visit)
    reason = form.words.data or ""
    identified = await client.identify_citizen(visit.api, form.handle.data or "", reason)
    return await _begin(visit, Cpf(identified.cpf), reason)


async def _begin(visit: Visit, cpf: Cpf, reason: str) -> Response[Any]:
    number = await attendances.begin_attendance(visit, cpf, reason)
    return await visit.redirect(visit.address("counter.show", attendance=number))


@pages.get("/atendimento/{attendance}", "Cadastro", actions=[READ])
async def show(visit: Visit, attendance: str) -> Response[Any]:
    """Show the citizen's data with its sources. If one part fails, the page still shows the other parts."""
    return await _show(visit, await attendances.find_attendance(visit, attendance))


@pages.post("/atendimento/{attendance}/sensiveis", "Mostrar dados sensíveis", actions=[READ])
async def show_sensitive(visit: Visit, attendance: str) -> Response[Any]:
    """Show the sensitive values on this page only. The next page hides them again."""
    return await _show(visit, await attendances.find_attendance(visit, attendance), sensitive=True)


async def _show(visit: Visit, found: Attendance, *, sensitive: bool = False) -> Response[Any]:
    subject = make_subject(visit, found)
    (record,) = await gather_blocks(people.read_provenance(subject, sensitive=sensitive))
    if isinstance(record.fault, NotFound):
        return visit.render("counter/unknown.html", status=404, found=found, crumbs=[_begin_crumb(visit)])
    blocks: list[Block[Any]] = await gather_blocks(
        people.read_preferences(subject),
        people.list_choices(subject),
        people.list_tickets(subject),
        people.list_categories(visit.api),
    )
    preferences, choices, tickets, categories = blocks
    named = {one.id: one.name for one in categories.value.categories} if categories.value else {}
    born = record.value.find("nascimento").value if record.value else None
    return visit.render(
        "counter/record.html",
        found=found,
        record=record,
        preferences=preferences,
        choices=choices,
        tickets=tickets,
        named=named,
        sensitive=sensitive,
        age=labels.count_years(born, visit.panel.words.now().date()),
        labels=labels,
        refused=_find_refused(preferences, choices, tickets),
        crumbs=[_begin_crumb(visit)],
    )


def _find_refused(*blocks: Any) -> bool:
    """Return whether any part is missing because the clerk may not see it.

    The page mentions this only once, at the end.
    """
    return any(isinstance(block.fault, NotAllowed) for block in blocks)


@pages.get("/atendimento/{attendance}/crm", "No CRM", actions=["crm:read"])
async def show_crm(visit: Visit, attendance: str) -> Response[Any]:
    """Show the registry's record next to the CRM's account, and the consents that came from the CRM."""
    found = await attendances.find_attendance(visit, attendance)
    subject = make_subject(visit, found)
    blocks: list[Block[Any]] = await gather_blocks(
        people.read_provenance(subject), people.read_crm_account(subject), people.list_categories(visit.api)
    )
    record, account, categories = blocks
    return visit.render(
        "counter/crm.html",
        found=found,
        record=record,
        account=account,
        named={one.id: one.name for one in categories.value.categories} if categories.value else {},
        labels=labels,
        is_unknown=isinstance(account.fault, NotFound),
        crumbs=make_crumbs(visit, found),
    )


@pages.get("/atendimento/{attendance}/bens", "Animais, veículos e empresas", actions=[READ])
async def show_belongings(visit: Visit, attendance: str) -> Response[Any]:
    """Show the citizen's pets, vehicles and companies, as far as the clerk may see them."""
    found = await attendances.find_attendance(visit, attendance)
    subject = make_subject(visit, found)
    pets, vehicles, companies = await gather_blocks(
        people.list_pets(subject), people.list_vehicles(subject), people.list_companies(subject)
    )
    return visit.render(
        "counter/belongings.html",
        found=found,
        pets=pets,
        vehicles=vehicles,
        companies=companies,
        labels=labels,
        refused=_find_refused(pets, vehicles, companies),
        crumbs=make_crumbs(visit, found),
    )


@pages.get("/atendimento/{attendance}/acessos", "Quem viu", actions=["audit:read"])
async def show_accesses(visit: Visit, attendance: str) -> Response[Any]:
    """Show who saw or changed the citizen's data, including this attendance."""
    found = await attendances.find_attendance(visit, attendance)
    (accesses,) = await gather_blocks(people.list_accesses(make_subject(visit, found), size=SIZE))
    return visit.render(
        "counter/accesses.html",
        found=found,
        accesses=accesses,
        labels=labels,
        group=group_by_visit,
        crumbs=make_crumbs(visit, found),
    )


@pages.form("/atendimento/{attendance}/telefone", "Mudar o telefone", actions=[WRITE])
async def change_phone(visit: Visit, attendance: str) -> Response[Any]:
    """Send a code to the new number. The citizen reads the code out to the clerk."""
    place = await _make_person_page(visit, attendance)
    return await changes.change_phone(visit, place, visit.address("counter.confirm_phone", attendance=attendance))


@pages.post("/atendimento/{attendance}/telefone/codigo", "Confirmar o telefone", actions=[WRITE])
async def confirm_phone(visit: Visit, attendance: str) -> Response[Any]:
    """Confirm the new number with the code that the citizen reads out."""
    return await changes.confirm_phone(visit, await _make_person_page(visit, attendance))


@pages.form("/atendimento/{attendance}/email", "Mudar o e-mail", actions=[WRITE])
async def change_email(visit: Visit, attendance: str) -> Response[Any]:
    """Change the citizen's e-mail address on their behalf."""
    return await changes.change_email(visit, await _make_person_page(visit, attendance))


@pages.form("/atendimento/{attendance}/endereco", "Mudar o endereço", actions=[WRITE])
async def change_address(visit: Visit, attendance: str) -> Response[Any]:
    """Change the citizen's address on their behalf."""
    return await changes.change_address(visit, await _make_person_page(visit, attendance))


@pages.form("/atendimento/{attendance}/mensagens", "Mudar as preferências", actions=[PREFERENCES])
async def change_preferences(visit: Visit, attendance: str) -> Response[Any]:
    """Choose the subjects about which the citizen receives messages."""
    return await changes.change_preferences(visit, await _make_person_page(visit, attendance))


@pages.post("/atendimento/{attendance}/copia", "Gerar a cópia", actions=["citizen:export"])
async def take_copy(visit: Visit, attendance: str) -> Response[Any]:
    """Return the file with all data stored about the citizen."""
    found = await attendances.find_attendance(visit, attendance)
    file = await people.download_export(make_subject(visit, found))
    return attachment(file.content, FILE_NAME)


@pages.post("/atendimento/{attendance}/encerrar", "Encerrar o atendimento", actions=[READ])
async def end(visit: Visit, attendance: str) -> Response[Any]:
    """Close the attendance. Its pages are no longer available."""
    await attendances.end_attendance(visit, attendance)
    return await visit.redirect(visit.address("counter.begin"), "O atendimento foi encerrado.")


def make_subject(visit: Visit, found: Attendance) -> Subject:
    """Return the attendance's citizen together with the reason, which every API call sends."""
    return Subject(visit.api, found.cpf, found.reason)


async def _make_person_page(visit: Visit, attendance: str) -> PersonPage:
    found = await attendances.find_attendance(visit, attendance)
    home = visit.address("counter.show", attendance=attendance)
    return PersonPage(make_subject(visit, found), home, make_crumbs(visit, found))


def _begin_crumb(visit: Visit) -> Crumb:
    return Crumb("Atendimento", visit.address("counter.begin"))


def make_crumbs(visit: Visit, found: Attendance) -> list[Crumb]:
    """Return the breadcrumbs for the pages of an attendance."""
    return [_begin_crumb(visit), Crumb(found.shown_name, visit.address("counter.show", attendance=found.number))]


async def find_open_attendances(visit: Visit) -> Sequence[Item]:
    """Return the open attendances of this session, for the first page."""
    return [
        Item(
            one.shown_name,
            visit.address("counter.show", attendance=one.number),
            text="está em atendimento",
            detail=f"CPF {one.cpf.masked} · {one.reason}",
            action_label="Continuar",
            number=0,
        )
        for one in await attendances.list_attendances(visit)
    ]
