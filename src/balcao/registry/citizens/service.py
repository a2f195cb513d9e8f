"""The citizen record and what citizens declare of themselves."""

from dataclasses import dataclass

from balcao.core.answers import Ready, require_match
from balcao.core.call import Call
from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.core.errors import NotFound
from balcao.core.platform import Platform
from balcao.core.rules import Reason
from balcao.core.text import clean
from balcao.registry.citizens import store
from balcao.registry.citizens.merge import merged
from balcao.registry.citizens.schemas import Citizen, GenderBody, Message
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.translation import gender_for_crm

PHONE_SCOPE = "rmi:telefone:read"
GENDER_LENGTH = 1000


async def read_citizen(call: Call, cpf: Cpf) -> Citizen:
    """Raises NotFound for anybody but the owner when nothing is stored; a scope caller sees less."""
    async with call.reading(cpf, ["citizen"]) as connection:
        base = await store.read_base(connection, cpf)
        held = await mirror.read(connection, cpf)
    if base is None and not held.known and not call.is_owner:
        raise NotFound("Não há cadastro deste cidadão.", code="citizen-unknown")
    citizen = merged(cpf, base, held)
    return _for_scope(citizen, call) if call.decision.reason is Reason.SCOPE else citizen


def _for_scope(citizen: Citizen, call: Call) -> Citizen:
    """Sensitive members are not for machines; the phone has a scope of its own."""
    citizen.mae = citizen.raca = citizen.genero = citizen.deficiencia = citizen.renda_familiar = None
    if PHONE_SCOPE not in call.identified.scopes:
        citizen.telefone = None
    return citizen


async def _require_unchanged(connection: Connection, call: Call, cpf: Cpf) -> None:
    """Raises PreconditionFailed when `If-Match` names another state of the record; holds the mirror from then on."""
    if call.if_match is not None:
        await mirror.lock(connection, cpf)
        present = merged(cpf, await store.read_base(connection, cpf), await mirror.read(connection, cpf))
        require_match(call.if_match, Ready.of(present).etag)


async def declare_gender(call: Call, cpf: Cpf, body: GenderBody) -> Message:
    """Creates or updates; the same value again renews its time (spec: the gender endpoint accepts any free text)."""
    text = clean("valor", body.valor, longest=GENDER_LENGTH)
    wire = gender_for_crm(text)
    async with call.platform.database.transaction() as connection:
        await _require_unchanged(connection, call, cpf)
        wording = ("genero", {"valor": text}, wire)
        await mirror.write_own(connection, call, cpf, {"genero": wire}, wording=wording)
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=["genero"])
    return Message("Gênero atualizado.")


@dataclass(frozen=True)
class Identity:
    """What the registry itself knows of who this is; each None when unknown."""

    name: str | None
    declared_email: str | None


async def identity_of(platform: Platform, cpf: Cpf) -> Identity:
    """`declared_email` is the one that the citizen declared themselves."""
    async with platform.database.connection() as connection:
        base = await store.read_base(connection, cpf)
        held = await mirror.read(connection, cpf)
    email = held.registers.get("email")
    own = email is not None and email.origin == "citizen" and bool(email.value)
    return Identity((base or {}).get("nome"), str(email.value) if email and own else None)
