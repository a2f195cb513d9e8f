"""Declarations by citizens, or by staff on their behalf (rules: registry 2.3)."""

from datetime import datetime, timedelta

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean_text
from balcao.registry.mirror.translation import to_crm_gender
from balcao.registry.mirror.writes import OwnWrite
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.merge import SELF_DECLARED
from balcao.registry.person.citizens.schemas import Address, Email, Message, Phone
from balcao.registry.person.citizens.service import StoredCitizen
from balcao.registry.person.declared import address
from balcao.registry.person.declared.address import DeclaredAddress
from balcao.registry.person.declared.choices import Choice
from balcao.registry.person.declared.schemas import AddressBody, GenderBody, ValueBody
from balcao.registry.person.validators.service import EMAIL_LENGTH, EmailAddress

GENDER_LENGTH = 1000
NAME_LENGTH = 255


async def declare_gender(call: Call, cpf: Cpf, body: GenderBody) -> Message:
    """Write the gender. Sending the same value again updates its time (spec: self-declared gender)."""
    text = clean_text("valor", body.valor, longest=GENDER_LENGTH)
    wire = to_crm_gender(text)
    await citizens.write_own_data(call, cpf, "genero", OwnWrite({"genero": wire}, (), "genero", {"valor": text}, wire))
    return Message("Gênero atualizado.")


async def declare_choice(call: Call, cpf: Cpf, choice: Choice, body: ValueBody) -> Message:
    """Write an option from the field's list. Raises Invalid for any string that is not in the list."""
    option = clean_text("valor", body.valor, longest=NAME_LENGTH)
    if option not in choice.options:
        allowed = ", ".join(f"`{one}`" for one in choice.options)
        raise Invalid(f"O campo `valor` deve ser um destes: {allowed}.", code="valor-not-listed")
    await citizens.write_own_data(call, cpf, choice.member, OwnWrite({choice.field: choice.for_crm(option)}))
    return Message(f"Dado atualizado: {choice.title}.")


async def declare_exhibition_name(call: Call, cpf: Cpf, body: ValueBody) -> Message:
    name = clean_text("valor", body.valor, longest=NAME_LENGTH)
    await citizens.write_own_data(call, cpf, "nome_exibicao", OwnWrite({"nomeExibicao": name}))
    return Message("Nome de exibição atualizado.")


async def declare_email(call: Call, cpf: Cpf, body: ValueBody) -> Message:
    """Write the e-mail address. Raises Invalid if it is not valid, and Conflict if nothing changes."""
    email = EmailAddress.parse(clean_text("valor", body.valor, longest=EMAIL_LENGTH))
    if email is None:
        raise Invalid("O campo `valor` deve ser um endereço de e-mail, como `nome@dominio.br`.", code="email-invalid")

    def require_change(stored: StoredCitizen) -> None:
        current = stored.citizen.email.principal
        if current is not None and current.valor.lower() == email.normalized.lower():
            require_stale(call, current, stored.read_at)

    await citizens.write_own_data(call, cpf, "email", OwnWrite({"email": email.normalized}), require_change)
    return Message("E-mail atualizado.")


async def declare_address(call: Call, cpf: Cpf, body: AddressBody) -> Message:
    """Write or remove the address.

    Raises Invalid if a member is not valid, and Conflict if a new address changes nothing. A removal never conflicts.
    """
    if address.is_removal(body):
        # Store an explicitly empty address, so that the base address does not reappear.
        removal = OwnWrite(address.REMOVAL, address.RELATED_FIELDS, "endereco")
        await citizens.write_own_data(call, cpf, "endereco", removal)
        return Message("Endereço removido.")
    declared = DeclaredAddress.parse(body)

    def require_change(stored: StoredCitizen) -> None:
        current = stored.citizen.endereco.principal
        if current is not None and declared.is_same_as(current):
            require_stale(call, current, stored.read_at)

    write = OwnWrite(declared.fields, address.RELATED_FIELDS, "endereco", declared.typed, declared.line)
    await citizens.write_own_data(call, cpf, "endereco", write, require_change)
    return Message("Endereço atualizado.")


def require_stale(call: Call, current: Email | Phone | Address, now: datetime | None) -> None:
    """Raise Conflict if the current value is the citizen's own and recent, because declaring it again changes nothing.

    Declaring an older value again, or one that is not the citizen's own, is allowed as a confirmation. `now` is the
    database clock.
    """
    days = timedelta(days=call.platform.settings.self_declared_fresh_days)
    declared_at = current.updated_at if current.origem == SELF_DECLARED else None
    if declared_at is not None and now is not None and declared_at > now - days:
        raise Conflict("Não há mudança: este já é o valor declarado.", code="no-change")
