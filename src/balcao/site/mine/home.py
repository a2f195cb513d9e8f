"""The first page of Minha página: tasks that wait for the citizen, and a part for each kind of data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from balcao.core.http.responses import Response
from balcao.site.mine import client, labels, vehicle_client
from balcao.site.mine.belongings import describe_clinic
from balcao.site.mine.declaration import PREFIX, Pages
from balcao.site.mine.request_client import find_question
from balcao.site.mine.visit import Visit
from balcao.web.api import Block, gather_blocks
from balcao.web.person import client as people
from balcao.web.person.labels import describe_accesses, describe_actor, explain_access
from balcao.web.person.visits import AccessVisit, group_by_visit
from balcao.web.service_requests.client import read_request

pages = Pages("home", "")
# Each part shows this many rows, and a link to the complete list.
_SHOWN = 3
# Read this many accesses, to find the newest ones that the platform did not make itself.
_READ = 100
# The addresses of multi-page forms that the citizen can continue.
_BEGUN = (f"{PREFIX}/candidatar/", f"{PREFIX}/pedir/", f"{PREFIX}/veiculos/novo/")
# Read this many requests with a question of the city. A person has at most 20 open requests; the CRM may reopen more.
_READ_QUESTIONS = 100
_OTHERS = frozenset({"staff", "citizen", "client"})


class Item(NamedTuple):
    """A task that waits for the citizen, and the address of the page on which they complete it.

    `discard` is the address that deletes what the citizen has begun.
    """

    icon: str
    title: str
    text: str
    href: str
    link: str
    discard: str = ""


@pages.get("", "Minha página")
async def show(visit: Visit) -> Response[Any]:
    """Show the citizen's tasks and data. If one part cannot be read, the page still shows the others."""
    subject = await visit.read_subject()
    blocks: list[Block[Any]] = await gather_blocks(
        people.list_tickets(subject, size=_SHOWN),
        people.list_tickets(subject, size=_READ_QUESTIONS, waits_for_answer=True),
        client.list_applications(subject, size=_SHOWN),
        client.read_wallet(subject),
        people.list_vehicles(subject),
        vehicle_client.list_invitations(subject),
        people.list_pets(subject),
        _list_visits(visit, subject),
        people.read_preferred_name(subject),
    )
    tickets, asked, applications, wallet, vehicles, invitations, pets, accesses, name = blocks
    return visit.render(
        "mine/home.html",
        name=name.value or visit.name,
        today=visit.mine.site.words.now().date(),
        waiting=[
            *await _list_questions(visit, subject, asked.value.data if asked.value else ()),
            *await _list_begun(visit),
            *_list_waiting(visit, invitations.value or ()),
        ],
        tickets=tickets,
        shown=_SHOWN,
        applications=applications,
        wallet=wallet,
        clinic=await describe_clinic(visit, wallet.value),
        vehicles=vehicles,
        pets=pets,
        accesses=accesses,
        labels=labels,
        describe_accesses=describe_accesses,
        describe_actor=describe_actor,
        explain_access=explain_access,
    )


async def _list_visits(visit: Visit, subject: people.Subject) -> Sequence[AccessVisit[people.Access]]:
    """Return the newest visits by people and other systems.

    The list omits the accesses by the platform itself, which are numerous.
    """
    found = await people.list_accesses(subject, size=_READ)
    others = [one for one in found.data if one.actor_kind in _OTHERS]
    return group_by_visit(others, visit.mine.site.words.zone)[:_SHOWN]


async def _list_questions(visit: Visit, subject: people.Subject, asked: Sequence[people.Ticket]) -> list[Item]:
    """Return the requests with an open question of the city.

    The list of requests does not contain the text of a question, so the first few of these requests are read. The
    other ones, and those that cannot be read, are shown without the text.
    """
    found = await gather_blocks(*(read_request(subject, one.id) for one in asked[:_SHOWN]))
    texts = {block.value.number: find_question(block.value) for block in found if block.value is not None}
    return [
        Item(
            "atencao",
            f"A prefeitura perguntou sobre o pedido “{one.tipo or one.id}”",
            texts.get(one.id, "Abra para ler a pergunta."),
            visit.address("requests.answer", number=one.id),
            "Responder",
        )
        for one in asked
        if texts.get(one.id) != ""  # it was answered in the meantime
    ]


async def _list_begun(visit: Visit) -> list[Item]:
    """Return the forms that the citizen started but did not send."""
    return [
        Item(
            "lista",
            f"Continue de onde parou: {draft.title}",
            "Nada foi enviado ainda.",
            draft.path,
            "Continuar",
            visit.address("account.drop_draft", "POST", number=number),
        )
        for number, draft in await visit.mine.sessions.drafts.list_own(visit.session)
        if draft.path.startswith(_BEGUN)
    ]


def _list_waiting(visit: Visit, invitations: Sequence[vehicle_client.Invitation]) -> list[Item]:
    return [
        Item(
            "bici",
            f"Convite para conduzir “{one.vehicle.display_name or 'um veículo'}”",
            f"De {one.owner_name or 'outra pessoa'}. Você pode aceitar ou recusar.",
            visit.address("conductors.answer", conductor_id=one.id),
            "Responder ao convite",
        )
        for one in invitations
    ]
