"""Pages for the light electric vehicles that a citizen owns or may drive, and for the owner's changes to them."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.site.mine import labels
from balcao.site.mine import vehicle_client as client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.downloads import send_file
from balcao.site.mine.photo_form import PhotoForm
from balcao.site.mine.vehicle_client import Vehicle
from balcao.site.mine.vehicle_steps import (
    MEMBERS,
    PHOTOS,
    list_make_steps,
    list_steps,
    read_answers,
    read_question,
    to_body,
)
from balcao.site.mine.visit import Visit
from balcao.web.api import NotFound, ValidationFailed
from balcao.web.faults import make_not_found
from balcao.web.person.client import Subject
from balcao.web.service_requests.files import FILE_GONE, find_id
from balcao.web.service_requests.forms import fill_answers, make_answer_form

pages = Pages("vehicles", "/veiculos")
_SAVED = "A mudança foi guardada."
# The longest answer that the address of the next page carries.
_LONGEST_CARRIED = 300


@pages.get("", "Meus veículos")
async def list_vehicles(visit: Visit) -> Response[Any]:
    """List the vehicles that the citizen owns or may drive, and the open invitations to drive a vehicle."""
    subject = await visit.read_subject()
    vehicles = await client.list_vehicles(subject)
    return visit.render(
        "mine/vehicles.html",
        own=[one for one in vehicles.data if one.is_own],
        driven=[one for one in vehicles.data if not one.is_own],
        invitations=await client.list_invitations(subject),
        labels=labels,
    )


@pages.get("/{vehicle_id}", "Meu veículo")
async def show_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Show a vehicle. Its owner also sees who may drive it."""
    subject = await visit.read_subject()
    vehicle = await client.read_vehicle(subject, vehicle_id)
    conductors = await client.list_conductors(subject, vehicle_id) if vehicle.is_own else []
    return visit.render("mine/vehicle.html", title=vehicle.title, vehicle=vehicle, conductors=conductors, labels=labels)


@pages.get("/{vehicle_id}/registrado", "Veículo registrado")
async def show_receipt(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Show the number of a vehicle that was just registered."""
    vehicle = await read_own_vehicle(await visit.read_subject(), vehicle_id)
    return visit.render("mine/vehicle_receipt.html", vehicle=vehicle)


@pages.form("/{vehicle_id}/mudar/{step}", "Mudar os dados do veículo")
async def change(visit: Visit, vehicle_id: str, step: str) -> Response[Any]:
    """Change one answer about an own vehicle.

    A change of the brand asks for the model on the next page. The pages' addresses carry the answers in between, and
    the last page stores them together.
    """
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    carried = _read_carried(visit)
    answers = read_answers(vehicle) | {MEMBERS[name]: text for name, text in carried.items()}
    if step in PHOTOS or step not in list_steps(answers):
        raise make_not_found()
    question = await read_question(visit.api, step, answers)
    form = make_answer_form([question], visit.mine.site.words.now().date())(visit, fill_answers([question], answers))
    if form.is_sent and form.validate():
        answers |= form.answers
        make = list_make_steps(answers) if step in list_make_steps(answers) else [step]
        if step != make[-1]:
            return await visit.redirect(_find_change(visit, vehicle_id, make[make.index(step) + 1], answers))
        if await form.submit(lambda: client.change_vehicle(subject, vehicle_id, to_body(answers, make))):
            return await visit.redirect(_find_vehicle(visit, vehicle_id), _SAVED)
    return visit.render(
        "mine/vehicle_question.html",
        title=question.label,
        question=question,
        about=vehicle.title,
        form=form,
        action=visit.address("vehicles.change", _query=carried, vehicle_id=vehicle_id, step=step),
        back=_find_vehicle(visit, vehicle_id),
        is_change=True,
        status=form.status,
    )


@pages.file_form("/{vehicle_id}/mudar/fotos/{step}", "Mudar a foto do veículo")
async def change_photo(visit: Visit, vehicle_id: str, step: str) -> Response[Any]:
    """Replace one of the two photos of an own vehicle."""
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    if step not in PHOTOS:
        raise make_not_found()
    form = PhotoForm(visit)
    if form.is_sent:
        note = await form.store(visit, subject)
        if note and await form.submit(lambda: _replace_photo(subject, vehicle_id, step, note)):
            return await visit.redirect(_find_vehicle(visit, vehicle_id), _SAVED)
        if not note:
            form.require()
    question = await read_question(visit.api, step, {})
    return visit.render(
        "mine/vehicle_photo.html",
        title=question.label,
        question=question,
        about=vehicle.title,
        form=form,
        stored="",
        back=_find_vehicle(visit, vehicle_id),
        is_change=True,
        status=form.status,
    )


@pages.get("/{vehicle_id}/fotos/{step}", "Foto do veículo")
async def download_photo(visit: Visit, vehicle_id: str, step: str) -> Response[Any]:
    """Return a photo of an own vehicle as an attachment."""
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    if step not in PHOTOS or not (file_id := getattr(vehicle, PHOTOS[step])):
        raise make_not_found()
    return await send_file(subject, file_id)


@pages.form("/{vehicle_id}/excluir", "Excluir o veículo")
async def delete_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Delete a vehicle. First ask for confirmation, because a deletion cannot be undone."""
    subject, back = await visit.read_subject(), visit.address("vehicles.list_vehicles")
    try:
        vehicle = await read_own_vehicle(subject, vehicle_id)
        if visit.is_post:
            await client.delete_vehicle(subject, vehicle_id)
            return await visit.redirect(back, f"“{vehicle.title}” foi excluído.")
    except NotFound:
        if not visit.is_post:
            raise
        # The button was pressed twice.
        return await visit.redirect(back, "Este veículo não está mais na sua lista.")
    return visit.render("mine/vehicle_delete.html", vehicle=vehicle)


@pages.form("/{vehicle_id}/deixar", "Deixar de conduzir")
async def leave_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Give up driving another person's vehicle. First ask for confirmation, because only the owner can undo it."""
    subject, back = await visit.read_subject(), visit.address("vehicles.list_vehicles")
    try:
        vehicle = await client.read_vehicle(subject, vehicle_id)
        if vehicle.is_own:
            raise make_not_found()
        if visit.is_post:
            await client.remove_conductor(subject, vehicle_id, vehicle.conductor_id)
            return await visit.redirect(back, f"Você não conduz mais “{vehicle.title}”.")
    except NotFound:
        if not visit.is_post:
            raise
        # The button was pressed twice, or the owner was faster.
        return await visit.redirect(back, "Você não conduz este veículo.")
    return visit.render("mine/vehicle_leave.html", vehicle=vehicle)


async def read_own_vehicle(subject: Subject, vehicle_id: str) -> Vehicle:
    """Return a vehicle that the citizen owns. Raises PageFault for a vehicle that they only drive."""
    vehicle = await client.read_vehicle(subject, vehicle_id)
    if not vehicle.is_own:
        raise make_not_found()
    return vehicle


async def _replace_photo(subject: Subject, vehicle_id: str, step: str, note: str) -> None:
    try:
        await client.change_vehicle(subject, vehicle_id, {PHOTOS[step]: find_id(note)})
    except ValidationFailed as fault:
        if fault.code == FILE_GONE:
            fault.text = "A foto não está mais guardada. Escolha-a de novo."
        raise


def _find_vehicle(visit: Visit, vehicle_id: str) -> str:
    return visit.address("vehicles.show_vehicle", vehicle_id=vehicle_id)


def _find_change(visit: Visit, vehicle_id: str, step: str, answers: dict[str, Any]) -> str:
    """Return the address of a page about brand or model, with the answers of the pages before it."""
    steps = list_make_steps(answers)
    carried = {name: answers.get(MEMBERS[name]) for name in steps[: steps.index(step)]}
    return visit.address("vehicles.change", _query=carried, vehicle_id=vehicle_id, step=step)


def _read_carried(visit: Visit) -> dict[str, str]:
    """Return the answers about brand and model in the page's address, by the page that asked for them."""
    names = ("marca", "outra-marca", "modelo", "outro-modelo")
    found = {name: visit.query.first(name).strip()[:_LONGEST_CARRIED] for name in names}
    return {name: text for name, text in found.items() if text}
