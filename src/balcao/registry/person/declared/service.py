"""What citizens declare of themselves, or staff on their behalf (rules: registry 2.3)."""

from collections.abc import Mapping

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.translation import gender_for_crm
from balcao.registry.mirror.writes import Value
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.merge import SELF_DECLARED
from balcao.registry.person.citizens.schemas import Address, Email, Message, Phone
from balcao.registry.person.declared import address, store
from balcao.registry.person.declared.address import DeclaredAddress
from balcao.registry.person.declared.choices import Choice
from balcao.registry.person.declared.schemas import AddressBody, GenderBody, ValueBody
from balcao.registry.person.validators.service import EMAIL_LENGTH, EmailAddress

GENDER_LENGTH = 1000
NAME_LENGTH = 255


async def declare_gender(call: Call, cpf: Cpf, body: GenderBody) -> Message:
    """Creates or updates; the same value again renews its time (spec: self-declared gender)."""
    text = clean("valor", body.valor, longest=GENDER_LENGTH)
    wire = gender_for_crm(text)
    async with call.platform.database.transaction() as connection:
        await citizens.require_unchanged(connection, call, cpf)
        await mirror.write_own(connection, call, cpf, {"genero": wire}, wording=("genero", {"valor": text}, wire))
        await _audit(connection, call, cpf, "genero")
    return Message("Gênero atualizado.")


async def declare_choice(call: Call, cpf: Cpf, choice: Choice, body: ValueBody) -> Message:
    """Exactly a member of the list, or Invalid."""
    option = clean("valor", body.valor, longest=NAME_LENGTH)
    if option not in choice.options:
        allowed = ", ".join(f"`{one}`" for one in choice.options)
        raise Invalid(f"O campo `valor` deve ser um destes: {allowed}.", code="valor-not-listed")
    await _declare(call, cpf, choice.member, {choice.register: choice.for_crm(option)})
    return Message(f"Dado atualizado: {choice.title}.")


async def declare_exhibition_name(call: Call, cpf: Cpf, body: ValueBody) -> Message:
    name = clean("valor", body.valor, longest=NAME_LENGTH)
    await _declare(call, cpf, "nome_exibicao", {"nomeExibicao": name})
    return Message("Nome de exibição atualizado.")


async def declare_email(call: Call, cpf: Cpf, body: ValueBody) -> Message:
    """Raises Invalid, and Conflict when nothing changes."""
    email = EmailAddress.read(clean("valor", body.valor, longest=EMAIL_LENGTH))
    if email is None:
        raise Invalid("O campo `valor` deve ser um endereço de e-mail, como `nome@dominio.br`.", code="email-invalid")
    async with call.platform.database.transaction() as connection:
        await citizens.require_unchanged(connection, call, cpf)
        await mirror.lock(connection, cpf)
        shown = (await citizens.record_of(connection, cpf)).email.principal
        if shown is not None and shown.valor.lower() == email.normalized.lower():
            await require_stale(connection, call, shown)
        await mirror.write_own(connection, call, cpf, {"email": email.normalized})
        await _audit(connection, call, cpf, "email")
    return Message("E-mail atualizado.")


async def declare_address(call: Call, cpf: Cpf, body: AddressBody) -> Message:
    """Raises Invalid, and Conflict when nothing changes; a removal is never refused."""
    if address.is_removal(body):
        return await _remove_address(call, cpf)
    declared = DeclaredAddress.read(body)
    async with call.platform.database.transaction() as connection:
        await citizens.require_unchanged(connection, call, cpf)
        await mirror.lock(connection, cpf)
        shown = (await citizens.record_of(connection, cpf)).endereco.principal
        if shown is not None and declared.is_shown_as(shown):
            await require_stale(connection, call, shown)
        wording = ("endereco", declared.typed, declared.line)
        await mirror.write_own(connection, call, cpf, declared.registers, beside=address.BESIDE, wording=wording)
        await _audit(connection, call, cpf, "endereco")
    return Message("Endereço atualizado.")


async def _remove_address(call: Call, cpf: Cpf) -> Message:
    """An explicit "none", which hides the base address too."""
    async with call.platform.database.transaction() as connection:
        await citizens.require_unchanged(connection, call, cpf)
        await mirror.write_own(connection, call, cpf, address.REMOVAL, beside=address.BESIDE)
        await mirror.drop_wording(connection, cpf, "endereco")
        await _audit(connection, call, cpf, "endereco")
    return Message("Endereço removido.")


async def require_stale(connection: Connection, call: Call, shown: Email | Phone | Address) -> None:
    """Raises Conflict when the value shown already is an own write and still young: declaring it anew changes nothing.

    An older one, or one that is not the citizen's own, is taken as a confirmation.
    """
    days = call.platform.settings.self_declared_fresh_days
    declared_at = shown.updated_at if shown.origem == SELF_DECLARED else None
    if declared_at is not None and await store.is_fresh(connection, declared_at, days):
        raise Conflict("Não há mudança: este já é o valor declarado.", code="no-change")


async def _declare(call: Call, cpf: Cpf, member: str, values: Mapping[str, Value]) -> None:
    async with call.platform.database.transaction() as connection:
        await citizens.require_unchanged(connection, call, cpf)
        await mirror.write_own(connection, call, cpf, values)
        await _audit(connection, call, cpf, member)


async def _audit(connection: Connection, call: Call, cpf: Cpf, member: str) -> None:
    await call.platform.audit.record(connection, call, "update", subject=cpf, fields=[member])
