"""Pages for the drivers of a vehicle: the owner invites and removes them, and the invited person answers."""

from typing import Any

from stdnum.br import cpf as stdnum_cpf
from wtforms import StringField
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.core.values.cpf import Cpf
from balcao.site.mine import labels
from balcao.site.mine import vehicle_client as client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.vehicle_client import Conductor
from balcao.site.mine.vehicles import read_own_vehicle
from balcao.site.mine.visit import Visit
from balcao.web.api import Conflict, ValidationFailed
from balcao.web.faults import make_not_found
from balcao.web.forms import CodeField, Form, PastedField, length, matching, needed
from balcao.web.person.client import Subject

pages = Pages("conductors", "")
_CHECK, _SEND = "conferir", "enviar"
_ANSWERS = {"aceitar": True, "recusar": False}
# The registry's error codes for a person who already drives the vehicle, and for an invitation or authorisation that
# has ended.
_ALREADY, _NOT_PENDING, _NOT_OPEN = "conductor-exists", "not-pending", "not-open"
_NOTHING_OPEN = "Não há convite para responder: ele já foi respondido ou desfeito, perdeu o prazo ou é de outra pessoa."


class InviteForm(Form):
    """The form for the person who shall drive the vehicle."""

    cpf = CodeField(
        "CPF da pessoa", description="11 números, com ou sem pontos.", validators=[needed("Escreva o CPF.")]
    )
    email = PastedField(
        "E-mail da pessoa",
        description="Para onde vai o convite.",
        validators=[
            needed("Escreva o e-mail."),
            length(3, 254),
            matching(r"[^@\s]+@[^@\s]+\.[^@\s]+", "Confira o e-mail. Ele tem a forma nome@exemplo.com."),
        ],
    )
    name = StringField("Como você a chama (opcional)", validators=[Optional(), length(0, 100)])

    @property
    def written_cpf(self) -> str:
        """Return the CPF with dots and dash, which are easier to check."""
        return str(stdnum_cpf.format(self.cpf.data or ""))

    def check(self, owner: Cpf) -> bool:
        """Validate the form. Require a valid CPF of another person than the owner."""
        is_sound = self.validate()
        if self.cpf.errors:
            return False
        if (cpf := Cpf.parse(self.cpf.data)) is None:
            self.cpf.errors = ["Confira o CPF: um dos números não está certo."]
        elif cpf == owner:
            self.cpf.errors = ["Este CPF é o seu, e você já pode conduzir. Escreva o da outra pessoa."]
        return is_sound and not self.cpf.errors


@pages.form("/veiculos/{vehicle_id}/autorizar", "Quem você quer autorizar a conduzir?")
async def invite(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Invite a person to drive the vehicle. First show the typed data for checking."""
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    form, step = InviteForm(visit), visit.posted.first("passo")
    is_sound = step in {_CHECK, _SEND} and form.check(subject.cpf)
    if step == _CHECK and is_sound:
        return visit.render("mine/invite_check.html", title="Confira antes de enviar", form=form, vehicle=vehicle)
    if step == _SEND and is_sound and await _send_invitation(subject, vehicle_id, form):
        address = visit.address("conductors.show", vehicle_id=vehicle_id, conductor_id=form.result.id)
        return await visit.redirect(address, "O convite foi enviado.")
    back = visit.address("vehicles.show_vehicle", vehicle_id=vehicle_id)
    return visit.render("mine/invite.html", form=form, vehicle=vehicle, back=back, status=form.status)


async def _send_invitation(subject: Subject, vehicle_id: str, form: InviteForm) -> bool:
    """Send the invitation. Return whether the service accepted it."""

    async def send() -> Conductor:
        cpf, email, name = Cpf(form.cpf.data or ""), form.email.data or "", (form.name.data or "").strip()
        try:
            return await client.invite_conductor(subject, vehicle_id, cpf, email, name, form.key)
        except Conflict as fault:
            if fault.code == _ALREADY:
                fault.text = "Esta pessoa já foi convidada ou já pode conduzir este veículo."
            raise

    return await form.submit(send)


@pages.form("/veiculos/{vehicle_id}/condutores/{conductor_id}", "Quem pode conduzir")
async def show(visit: Visit, vehicle_id: str, conductor_id: str) -> Response[Any]:
    """Show the owner an invitation or a driver. The button withdraws the invitation, or removes the driver."""
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    back = visit.address("vehicles.show_vehicle", vehicle_id=vehicle_id)
    if visit.is_post:
        try:
            await client.remove_conductor(subject, vehicle_id, conductor_id)
        except ValidationFailed as fault:
            if fault.code != _NOT_OPEN:  # the second press of the button, or the driver was faster
                raise
        return await visit.redirect(back, "Pronto: esta pessoa não está mais na lista.")
    found = next((one for one in await client.list_conductors(subject, vehicle_id) if one.id == conductor_id), None)
    if found is None:
        raise make_not_found()
    return visit.render("mine/conductor.html", title=found.title, one=found, vehicle=vehicle, back=back, labels=labels)


@pages.form("/convites/{conductor_id}", "Convite para conduzir")
async def answer(visit: Visit, conductor_id: str) -> Response[Any]:
    """Accept or refuse an invitation to drive a vehicle. The e-mail about the invitation links to this page."""
    subject = await visit.read_subject()
    back = visit.address("vehicles.list_vehicles")
    is_accepted = _ANSWERS.get(visit.posted.first("resposta"))
    if is_accepted is not None:
        try:
            await client.answer_invitation(subject, conductor_id, accepted=is_accepted)
        except ValidationFailed as fault:
            if fault.code != _NOT_PENDING:
                raise
            return await visit.redirect(back, _NOTHING_OPEN)
        notice = "Pronto: o veículo está na sua lista." if is_accepted else "Você recusou o convite."
        return await visit.redirect(back, notice)
    found = next((one for one in await client.list_invitations(subject) if one.id == conductor_id), None)
    if found is None and visit.is_post:
        raise make_not_found()
    if found is None:
        return await visit.redirect(back, _NOTHING_OPEN)
    status = 422 if visit.is_post else 200
    return visit.render("mine/invitation.html", invitation=found, labels=labels, status=status)
