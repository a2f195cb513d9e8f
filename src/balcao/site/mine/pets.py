"""Pages for adding, changing and deleting the pets that citizens register.

The city's own pet records cannot be changed.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar, cast

from wtforms import RadioField, StringField
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.site.mine import client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.visit import Visit
from balcao.web.api import NotFound, Read
from balcao.web.faults import make_not_found
from balcao.web.forms import CodeField, Form, length, list_choices, needed

pages = Pages("pets", "/animais")
YES, NO = "sim", "nao"
_OWN = "self_registered"
_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})|(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_NAMES = ("animal_nome", "especie_nome", "raca_nome", "porte_nome", "microchip_numero")


class PetForm(Form):
    members: ClassVar[Mapping[str, str]] = {
        "name": "animal_nome",
        "species": "especie_nome",
        "sex": "sexo_sigla",
        "birth": "nascimento_data",
        "neutered": "indicador_castrado",
        "breed": "raca_nome",
        "size": "porte_nome",
        "chip": "microchip_numero",
    }

    name = StringField("Nome", validators=[needed("Escreva o nome."), length(1, 100)])
    species = StringField(
        "Que animal é?",
        description="Por exemplo: cachorro, gato, coelho.",
        validators=[needed("Escreva que animal é."), length(1, 100)],
    )
    sex = RadioField(
        "Sexo",
        choices=list_choices([("F", "Fêmea"), ("M", "Macho")]),
        validate_choice=False,
        validators=[needed("Escolha fêmea ou macho.")],
    )
    birth = StringField(
        "Quando nasceu?",
        description="Dia, mês e ano, como 15/01/2022. Se não souber o dia, escreva o mais provável.",
        validators=[needed("Escreva quando nasceu.")],
    )
    neutered = RadioField(
        "É castrado?",
        choices=list_choices([(YES, "Sim"), (NO, "Não")]),
        validate_choice=False,
        validators=[needed("Escolha sim ou não.")],
    )
    breed = StringField("Raça (opcional)", validators=[Optional(), length(0, 100)])
    size = StringField("Tamanho (opcional)", description="Pequeno, médio ou grande.", validators=[length(0, 100)])
    chip = CodeField("Número do microchip (opcional)", validators=[Optional(), length(0, 30)])

    def validate(self, extra_validators: object = None) -> bool:
        """Require a date of birth that exists in the calendar."""
        is_sound = super().validate()
        if not self.birth.errors and read_day((self.birth.data or "").strip()) is None:
            self.birth.errors = ["Escreva dia, mês e ano, como 15/01/2022."]
            return False
        return is_sound


@pages.form("/novo", "Registrar um animal")
async def add_pet(visit: Visit) -> Response[Any]:
    """Register a pet once, even if the button is pressed again."""
    subject = await visit.read_subject()
    form = PetForm(visit)
    if form.is_sent and await form.submit(lambda: client.add_pet(subject, _to_body(form, {}), form.key)):
        return await visit.redirect(visit.address("belongings.list_pets"), f"“{form.name.data}” foi registrado.")
    return visit.render("mine/pet.html", form=form, back=visit.address("belongings.list_pets"), status=form.status)


@pages.form("/{pet_id}", "Mudar os dados do animal")
async def change_pet(visit: Visit, pet_id: str) -> Response[Any]:
    """Change a pet that the citizen registered. Members that are not in the form keep their values."""
    subject = await visit.read_subject()
    pet = await _read_own(visit, pet_id)
    form = PetForm(visit, _to_values(pet.value), etag=pet.etag)
    back = visit.address("belongings.list_pets")
    if form.is_sent and await form.submit(
        lambda: client.change_pet(subject, pet_id, _to_body(form, pet.value), form.etag)
    ):
        return await visit.redirect(back, "A mudança foi guardada.")
    title = f"Mudar os dados de {pet.value['animal_nome']}"
    return visit.render("mine/pet.html", title=title, form=form, pet_id=pet_id, back=back, status=form.status)


@pages.form("/{pet_id}/excluir", "Excluir o animal")
async def delete_pet(visit: Visit, pet_id: str) -> Response[Any]:
    """Delete a pet. First ask for confirmation, because a deletion cannot be undone."""
    back = visit.address("belongings.list_pets")
    try:
        name = (await _read_own(visit, pet_id)).value["animal_nome"]
        if visit.is_post:
            await client.delete_pet(await visit.read_subject(), pet_id)
            return await visit.redirect(back, f"“{name}” foi excluído.")
    except NotFound:
        if not visit.is_post:
            raise
        # The button was pressed twice.
        return await visit.redirect(back, "Este animal não está mais na sua lista.")
    return visit.render("mine/pet_delete.html", name=name, pet_id=pet_id)


async def _read_own(visit: Visit, pet_id: str) -> Read[dict[str, Any]]:
    """Return a pet that the citizen registered, with its version.

    Raises PageFault for the city's own records, because they cannot be changed.
    """
    if not (pet_id.isascii() and pet_id.isdigit()):
        raise make_not_found()
    pet = await client.read_pet(await visit.read_subject(), pet_id)
    if pet.value.get("source") != _OWN:
        raise make_not_found()
    return pet


def read_day(text: str) -> date | None:
    """Parse a date such as 28/11/2026 or 2026-11-28. Return None for any other string."""
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    try:
        return date(*map(int, found.group(3, 2, 1) if found[1] else found.group(4, 5, 6)))
    except ValueError:
        return None


def _to_values(pet: Mapping[str, Any]) -> dict[str, Any]:
    born = read_day((pet.get("nascimento_data") or "")[:10])
    neutered = {True: YES, False: NO}.get(cast(bool, pet.get("indicador_castrado")), "")
    values = {field: pet.get(member) or "" for field, member in PetForm.members.items() if member in _NAMES}
    return values | {
        "sex": pet.get("sexo_sigla") or "",
        "birth": f"{born:%d/%m/%Y}" if born else "",
        "neutered": neutered,
    }


def _to_body(form: PetForm, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body with all members of the pet, because the service replaces the whole pet."""
    typed = {member: (form[field].data or "").strip() for field, member in form.members.items() if member in _NAMES}
    born = read_day((form.birth.data or "").strip())
    kept = {name: stored.get(name) for name in ("foto_url", "pedigree_indicador", "pedigree_origem_nome")}
    return {
        **kept,
        **typed,
        "sexo_sigla": form.sex.data,
        "nascimento_data": born.isoformat() if born else "",
        "indicador_castrado": form.neutered.data == YES,
        "microchip_numero": typed["microchip_numero"] or None,
    }
