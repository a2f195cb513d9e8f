"""Pages for a citizen's wallet, light electric vehicles and their riders, pets and companies."""

from collections.abc import Mapping
from typing import Any, ClassVar

from wtforms import StringField
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.core.values.cpf import Cpf
from balcao.site.mine import client, labels
from balcao.site.mine.declaration import Pages
from balcao.site.mine.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.forms import CodeField, Form, PastedField, length, needed
from balcao.web.lists import Listing
from balcao.web.person.labels import format_day

pages = Pages("belongings", "")


class InviteForm(Form):
    cpf = CodeField(
        "CPF da pessoa", description="11 números, com ou sem pontos.", validators=[needed("Escreva o CPF.")]
    )
    email = PastedField(
        "E-mail da pessoa",
        description="Para onde vai o convite.",
        validators=[needed("Escreva o e-mail."), length(3, 254)],
    )
    name = StringField("Como você a chama (opcional)", validators=[Optional(), length(0, 100)])

    def validate(self, extra_validators: object = None) -> bool:
        """Require a valid CPF."""
        is_sound = super().validate()
        if is_sound and Cpf.parse(self.cpf.data) is None:
            self.cpf.errors = ["Confira o CPF: um dos números não está certo."]
            return False
        return is_sound


class VehicleNameForm(Form):
    members: ClassVar[Mapping[str, str]] = {"name": "display_name"}

    name = StringField("Nome do veículo", validators=[needed("Escreva o nome."), length(1, 100)])


@pages.get("/carteira", "Minha carteira")
async def show_wallet(visit: Visit) -> Response[Any]:
    """Show the citizen's health team, school and social assistance."""
    wallet = await client.read_wallet(await visit.read_subject())
    return visit.render("mine/wallet.html", wallet=wallet, format_day=format_day)


@pages.get("/veiculos", "Meus veículos")
async def list_vehicles(visit: Visit) -> Response[Any]:
    """List the vehicles that the citizen owns or may ride, and the open invitations to ride a vehicle."""
    subject = await visit.read_subject()
    vehicles = await client.list_vehicles(subject)
    invitations = await client.list_invitations(subject)
    return visit.render("mine/vehicles.html", vehicles=vehicles.data, invitations=invitations, labels=labels)


@pages.get("/veiculos/{vehicle_id}", "Meu veículo")
async def show_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Show a vehicle. Its owner also sees who may ride it."""
    subject = await visit.read_subject()
    vehicle = await client.read_vehicle(subject, vehicle_id)
    conductors = await client.list_conductors(subject, vehicle_id) if vehicle.role == "owner" else []
    return visit.render("mine/vehicle.html", title=vehicle.title, vehicle=vehicle, conductors=conductors, labels=labels)


@pages.form("/veiculos/{vehicle_id}/nome", "Mudar o nome do veículo")
async def rename_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Change the owner's name for the vehicle."""
    subject = await visit.read_subject()
    vehicle = await client.read_vehicle(subject, vehicle_id)
    form = VehicleNameForm(visit, {"name": vehicle.display_name or ""})
    back = visit.address("belongings.show_vehicle", vehicle_id=vehicle_id)
    if form.is_sent and await form.submit(lambda: client.rename_vehicle(subject, vehicle_id, form.name.data or "")):
        return await visit.redirect(back, "O nome foi guardado.")
    return visit.render("mine/vehicle_name.html", form=form, vehicle=vehicle, back=back, status=form.status)


@pages.form("/veiculos/{vehicle_id}/excluir", "Excluir o veículo")
async def delete_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Delete a vehicle. First ask for confirmation, because a deletion cannot be undone."""
    subject = await visit.read_subject()
    vehicle = await client.read_vehicle(subject, vehicle_id)
    if visit.is_post:
        await client.delete_vehicle(subject, vehicle_id)
        return await visit.redirect(visit.address("belongings.list_vehicles"), f"“{vehicle.title}” foi excluído.")
    return visit.render("mine/vehicle_delete.html", vehicle=vehicle)


@pages.form("/veiculos/{vehicle_id}/autorizar", "Autorizar alguém a conduzir")
async def invite_conductor(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Invite a person to ride the vehicle. First show the typed data for checking."""
    subject = await visit.read_subject()
    vehicle = await client.read_vehicle(subject, vehicle_id)
    if vehicle.role != "owner":
        raise make_not_found()
    form = InviteForm(visit)
    back = visit.address("belongings.show_vehicle", vehicle_id=vehicle_id)
    step = visit.posted.first("passo")
    if step == "conferir" and form.validate():
        return visit.render("mine/invite_check.html", title="Confira antes de enviar", form=form, vehicle=vehicle)

    async def invite() -> None:
        cpf = Cpf(form.cpf.data or "")
        await client.invite_conductor(
            subject, vehicle_id, cpf, form.email.data or "", (form.name.data or "").strip(), form.key
        )

    if step == "enviar" and await form.submit(invite):
        return await visit.redirect(back, "O convite foi enviado. A pessoa só pode conduzir depois de aceitar.")
    return visit.render("mine/invite.html", form=form, vehicle=vehicle, back=back, status=form.status)


@pages.post("/veiculos/{vehicle_id}/condutores/{conductor_id}", "Retirar a autorização")
async def remove_conductor(visit: Visit, vehicle_id: str, conductor_id: str) -> Response[Any]:
    """Withdraw an invitation, or an authorisation to ride the vehicle."""
    await client.remove_conductor(await visit.read_subject(), vehicle_id, conductor_id)
    back = visit.address("belongings.show_vehicle", vehicle_id=vehicle_id)
    return await visit.redirect(back, "A autorização foi retirada.")


@pages.form("/convites/{conductor_id}", "Convite para conduzir")
async def answer_invitation(visit: Visit, conductor_id: str) -> Response[Any]:
    """Accept or refuse an invitation to ride a vehicle."""
    subject = await visit.read_subject()
    back = visit.address("belongings.list_vehicles")
    if visit.is_post:
        is_accepted = visit.posted.first("resposta") == "aceitar"
        await client.answer_invitation(subject, conductor_id, accepted=is_accepted)
        notice = "Pronto: o veículo está na sua lista." if is_accepted else "Você recusou o convite."
        return await visit.redirect(back, notice)
    found = next((one for one in await client.list_invitations(subject) if one.id == conductor_id), None)
    if found is None:
        return await visit.redirect(back, "Este convite já foi respondido ou não vale mais.")
    return visit.render("mine/invitation.html", invitation=found, labels=labels)


@pages.get("/animais", "Meus animais")
async def list_pets(visit: Visit) -> Response[Any]:
    """List the citizen's pets."""
    listing = Listing(visit, ("animal", "animais"))
    found = await client.list_pets(await visit.read_subject(), page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    today = visit.mine.site.words.now().date()
    return visit.render("mine/pets.html", listing=listing, today=today, format_day=format_day)


@pages.get("/empresas", "Minhas empresas")
async def list_companies(visit: Visit) -> Response[Any]:
    """List the companies in which the citizen is a partner or the responsible person."""
    listing = Listing(visit, ("empresa", "empresas"))
    found = await client.list_companies(await visit.read_subject(), page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render("mine/companies.html", listing=listing)
