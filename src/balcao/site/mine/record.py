"""Pages for the citizen's data and choices: the record, corrections, messages, accesses, a copy and erasure."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from wtforms import StringField

from balcao.core.http.responses import Response, attachment
from balcao.site.mine import client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.pending_application import find_return, read_pending
from balcao.site.mine.visit import Visit
from balcao.web.api import gather_blocks
from balcao.web.forms import Form, length, needed
from balcao.web.lists import Listing
from balcao.web.person import changes, labels
from balcao.web.person import client as people
from balcao.web.person.changes import PersonPage
from balcao.web.person.erasure import show_erasure
from balcao.web.person.visits import SIZE, group_by_visit
from balcao.web.visit import Crumb

FILE_NAME = "meus-dados.json"
# The query parameter that shows sensitive values. Other people may be able to see the screen, so the page hides them.
_SENSITIVE = "sensiveis"

pages = Pages("record", "")


class NameForm(Form):
    members: ClassVar[Mapping[str, str]] = {"name": "valor"}

    name = StringField(
        "Como quer que a gente chame você?",
        description="É o nome que aparece para quem atende você. O seu registro civil não muda.",
        validators=[needed("Escreva o nome."), length(1, 100)],
    )


@pages.get("/dados", "Meus dados")
async def show(visit: Visit) -> Response[Any]:
    """Show the citizen's data with its sources. Sensitive values are shown only on request."""
    subject = await visit.read_subject()
    is_whole = visit.query.first(_SENSITIVE) == "sim"
    (record,) = await gather_blocks(people.read_provenance(subject, sensitive=is_whole))
    born = record.value.find("nascimento").value if record.value else None
    age = labels.count_years(born, visit.mine.site.words.now().date())
    pending = await read_pending(visit)
    return visit.render("mine/record.html", record=record, is_whole=is_whole, age=age, labels=labels, pending=pending)


@pages.form("/dados/nome", "O nome que prefiro usar")
async def change_name(visit: Visit) -> Response[Any]:
    """Change the name by which the citizen wants to be called."""
    page = await _make_person_page(visit)
    known = "" if visit.is_post else await people.read_preferred_name(page.subject)
    form = NameForm(visit, {"name": known})
    if form.is_sent and await form.submit(lambda: client.change_name(page.subject, form.name.data or "")):
        return await visit.redirect(page.home, "O nome foi guardado.")
    return visit.render("mine/name.html", form=form, person_page=page, status=form.status)


@pages.form("/dados/telefone", "Mudar o telefone")
async def change_phone(visit: Visit) -> Response[Any]:
    """Send a code to the citizen's new number."""
    return await changes.change_phone(visit, await _make_person_page(visit), visit.address("record.confirm_phone"))


@pages.post("/dados/telefone/codigo", "Confirmar o telefone")
async def confirm_phone(visit: Visit) -> Response[Any]:
    """Confirm the new number with the code."""
    return await changes.confirm_phone(visit, await _make_person_page(visit))


@pages.form("/dados/email", "Mudar o e-mail")
async def change_email(visit: Visit) -> Response[Any]:
    """Change the citizen's e-mail address."""
    return await changes.change_email(visit, await _make_person_page(visit))


@pages.form("/dados/endereco", "Mudar o endereço")
async def change_address(visit: Visit) -> Response[Any]:
    """Change the citizen's address."""
    return await changes.change_address(visit, await _make_person_page(visit))


@pages.form("/mensagens", "Mensagens que recebo")
async def change_preferences(visit: Visit) -> Response[Any]:
    """Choose the subjects about which the citizen receives messages. Also show the earlier choices."""
    page = await _make_person_page(visit)
    (choices,) = await gather_blocks(people.list_choices(page.subject))
    return await changes.change_preferences(visit, page._replace(home=visit.path), choices=choices, labels_of=labels)


@pages.get("/quem-viu", "Quem viu os meus dados")
async def list_accesses(visit: Visit) -> Response[Any]:
    """List which departments and systems saw or changed the citizen's data, and why.

    The names of staff are not shown.
    """
    listing = Listing(visit, ("acesso", "acessos"), size=SIZE)
    subject = await visit.read_subject()
    found = await people.list_accesses(subject, page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    visits = group_by_visit(found.data, visit.mine.site.words.zone)
    return visit.render("mine/accesses.html", listing=listing, labels=labels, visits=visits)


@pages.form("/dados/copia", "Levar uma cópia")
async def take_copy(visit: Visit) -> Response[Any]:
    """Explain what the file with the citizen's data contains, and return the file after the button is pressed."""
    if visit.is_post:
        file = await people.download_export(await visit.read_subject())
        return attachment(file.content, FILE_NAME)
    return visit.render("mine/copy.html")


@pages.form("/dados/apagar", "Pedir que apaguem")
async def erase(visit: Visit) -> Response[Any]:
    """Show what an erasure would delete, and erase the data that the city is not required to keep."""
    return await show_erasure(visit, await _make_person_page(visit))


async def _make_person_page(visit: Visit) -> PersonPage:
    crumbs: Sequence[Crumb] = [Crumb("Meus dados", visit.address("record.show"))]
    pending = await read_pending(visit)
    home = find_return(visit, pending, "record.show")
    return PersonPage(await visit.read_subject(), home, crumbs, is_own=True, pending=pending)
