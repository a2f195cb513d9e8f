"""The phone book: which person a phone number reaches, and whether they consent to messages (rules: registry 4.13)."""

import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

import msgspec
from msgspec import UnsetType

from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.context.optimistic import write_optimistically
from balcao.core.context.reasons import refuse_personal_data
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.core.values.text import clean_text
from balcao.registry.consent.preferences import service as preferences
from balcao.registry.consent.preferences.changes import parse_channel
from balcao.registry.consent.preferences.schemas import Preferences, PreferencesBody
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.phone_book import states, store
from balcao.registry.person.phone_book.schemas import (
    BoundPhone,
    PhoneBindBody,
    PhoneCitizen,
    PhoneOptInBody,
    PhoneOptOutBody,
    PhoneOutcome,
    PhonePreferences,
    PhoneStatus,
    QuarantinedPhones,
    QuarantineOutcome,
    RegistrationBody,
    RegistrationVerdict,
    RejectionBody,
)
from balcao.registry.person.phone_book.states import FREE, Phone, Proof
from balcao.registry.person.phone_book.store import PhoneEntry, StoredPhone

WRITE = "phones:write"

REASON_LENGTH, NAME_LENGTH = 500, 255
# The reason for an opt-out if the phone number now belongs to another person.
WRONG_PERSON = "incorrect_person"
# The rate limit for calls that compare data with a person's record, so that callers cannot guess the data by trial and
# error.
GUESS_RATE = "5/hour"
# The rate limit for a person's claims to phone numbers without proof. It is low because a rejected claim reveals that
# the number is not free, although not why.
CLAIMS = "10/hour"
FIELDS = ["phone_book"]


class EntryDetails(NamedTuple):
    """The action, channel and reason that a phone book entry records."""

    action: str
    channel: str | None = None
    reason: str | None = None


class Changed(NamedTuple):
    """A phone number before and after a change. `after` is None if nothing changed."""

    before: Phone
    after: Phone | None


async def read_phone_status(call: Call, number: str) -> PhoneStatus:
    """Return the state of a phone number. If it is bound to a person, the call is audited as a read of their data."""
    phone, citizen = await _look_up(call, number)
    return PhoneStatus(
        phone_number=f"+{number}",
        found=phone != FREE,
        quarantined=phone.quarantine_until is not None,
        quarantine_until=phone.quarantine_until,
        cpf=citizen.cpf,
        name=citizen.name,
        opt_in=phone.opt_in,
    )


async def read_phone_citizen(call: Call, number: str) -> PhoneCitizen:
    """Return the masked CPF and name of the person to whom a phone number is bound.

    A messenger receives neither of them.
    """
    return (await _look_up(call, number))[1]


async def _look_up(call: Call, number: str) -> tuple[Phone, PhoneCitizen]:
    call.require_reason()
    phone = (await store.find_phone(call.platform.database, number)).phone
    if phone.cpf is None:
        await _count_miss(call)
        return phone, PhoneCitizen(False, None, None)
    async with call.reading(phone.cpf, FIELDS) as source:
        if call.decision.reason is Reason.CLIENT:  # a messenger learns only that the number is bound
            return phone, PhoneCitizen(True, None, None)
        name = (await citizens.read_citizen_record(source, phone.cpf)).nome
    return phone, PhoneCitizen(True, phone.cpf.masked, mask_name(name) if name else None)


async def _count_miss(call: Call) -> None:
    """Count a wrong guess by this caller: the number is not bound, or not bound to the given person.

    Calls by the platform itself have no caller and are not counted.
    """
    if call.caller is not None:
        await call.platform.enumeration.count(call.caller.key)


def mask_name(name: str) -> str:
    """Mask every letter of the name except the first letter of each word."""
    return " ".join(word[0] + "*" * (len(word) - 1) for word in name.split())


async def bind_phone(call: Call, number: str, body: PhoneBindBody) -> BoundPhone:
    """Bind a phone number to a person. Staff and messengers may do so only if a code has proven the number.

    Raises Invalid for an invalid body, and Forbidden if the caller may not bind numbers for this person. Raises
    Conflict if the number cannot be bound to this person, and TooMany if the person has made too many claims.
    """
    cpf, channel = _parse_cpf(body.cpf), parse_channel(body.channel)
    reached = call if call.decision.reason is Reason.CLIENT else call.with_right_to(cpf, WRITE)
    if reached is None:
        raise call.lacks(WRITE)
    if reached.is_owner:
        await _spend(call, CLAIMS, "registry.bind_phone", cpf)

    def change(found: StoredPhone) -> Phone:
        if reached.is_owner:
            return _claim(found, cpf, channel)
        after = states.bind_proven(found.phone, cpf, channel)
        if after is None:
            raise Conflict("A pessoa não confirmou este telefone por código.", code="phone-not-confirmed")
        return after

    try:
        after = (await _change(reached, number, change, subject=cpf, claimant=cpf if reached.is_owner else None)).after
    except Conflict:
        if not reached.is_owner:
            await _count_miss(call)
        raise
    assert after is not None  # otherwise `change` has raised Conflict
    shown = cpf.digits if reached.is_owner else cpf.masked
    return BoundPhone("bound", f"+{number}", shown, after.opt_in, "Telefone ligado ao cidadão.")


async def bind_confirmed_phone(call: Call, number: str, cpf: Cpf) -> None:
    """Bind a phone number as if the person had proven it by a code. Only the demo data uses this."""
    await _change(call, number, lambda found: Phone(cpf, Proof.CODE, bound_at=found.now), subject=cpf)


def _claim(found: StoredPhone, cpf: Cpf, channel: str) -> Phone:
    """Return the state of the number after the person has claimed it without proof.

    Raises Conflict if the claim is rejected.

    The error is the same for every number that is not free, so it does not reveal the reason. The limit is checked
    first, so that a person who has reached it learns nothing about further numbers.
    """
    if found.phone.cpf != cpf and found.unproven >= states.MOST_UNPROVEN:
        text = f"Você já tem {states.MOST_UNPROVEN} telefones sem confirmação: confirme um deles, ou este, por código."
        raise Conflict(text, code="phones-unconfirmed")
    after = states.bind_own(found.phone, cpf, channel, found.now, belongs_to_another=found.belongs_to_another)
    if after is None:
        text = "Este telefone não está livre: confirme-o por código em `/citizen/{cpf}/phone`."
        raise Conflict(text, code="phone-not-free")
    return after


async def opt_in_phone(call: Call, number: str, body: PhoneOptInBody) -> PhoneOutcome:
    """Record the consent of the person to whom the number is bound.

    Raises Invalid for an invalid body, and Conflict unless the number is bound to that person.
    """
    cpf, channel = _parse_cpf(body.cpf), parse_channel(body.channel)

    def change(found: StoredPhone) -> Phone | None:
        after = states.give_consent(found.phone, cpf, channel)
        if after is None:
            raise Conflict("Este telefone não está ligado a essa pessoa.", code="phone-not-bound")
        return None if found.phone.opt_in else after

    changed = await _change(call, number, change, subject=cpf, details=EntryDetails("opt_in", channel))
    return PhoneOutcome("opted_in" if changed.after else "already_opted_in")


async def opt_out_phone(call: Call, number: str, body: PhoneOptOutBody) -> PhoneOutcome:
    """Withdraw the consent for a phone number.

    If the number is bound, the reason `incorrect_person` also ends the binding and puts the number in quarantine.
    Raises Invalid for an invalid body.
    """
    channel, reason = parse_channel(body.channel), _parse_reason(body.reason)

    def change(found: StoredPhone) -> Phone | None:
        if reason == WRONG_PERSON and found.phone.cpf is not None:
            return states.enter_quarantine(found.phone, found.now, _quarantine_duration(call))
        return states.withdraw_consent(found.phone) if found.phone.opt_in else None

    details = EntryDetails("rejected" if reason == WRONG_PERSON else "opt_out", channel, reason)
    changed = await _change(call, number, change, details=details)
    if changed.before.cpf is None:
        await _count_miss(call)
        return PhoneOutcome("not_found")
    return PhoneOutcome("opted_out" if changed.after else "already_opted_out")


async def reject_registration(call: Call, number: str, body: RejectionBody) -> PhoneOutcome:
    """Record that the number does not belong to this person: end their binding and start a quarantine.

    If the number is not bound to this person, only the audit event is written. Raises Invalid for an invalid body.
    """
    cpf, channel = _parse_cpf(body.cpf), parse_channel(body.channel)
    reason = None if isinstance(body.reason, UnsetType) else _parse_reason(body.reason)

    def change(found: StoredPhone) -> Phone | None:
        return (
            states.enter_quarantine(found.phone, found.now, _quarantine_duration(call))
            if found.phone.cpf == cpf
            else None
        )

    changed = await _change(call, number, change, subject=cpf, details=EntryDetails("rejected", channel, reason))
    return PhoneOutcome("rejected" if changed.after else "not_found")


async def quarantine_phone(call: Call, number: str) -> QuarantineOutcome:
    """Put a phone number in quarantine and end its binding permanently. A running quarantine is extended."""

    def change(found: StoredPhone) -> Phone:
        return states.enter_quarantine(found.phone, found.now, _quarantine_duration(call))

    after = (await _change(call, number, change, details=EntryDetails("quarantined"))).after
    assert after is not None  # starting a quarantine always changes the number
    return QuarantineOutcome("quarantined", f"+{number}", after.quarantine_until, "Telefone em quarentena.")


async def release_phone(call: Call, number: str) -> QuarantineOutcome:
    """End a quarantine, so that the phone number is free. Raises NotFound if the number is not in quarantine."""

    def change(found: StoredPhone) -> Phone:
        if found.phone.quarantine_until is None:
            raise NotFound("Este telefone não está em quarentena.", code="phone-not-quarantined")
        return FREE

    await _change(call, number, change, details=EntryDetails("released"))
    return QuarantineOutcome("released", f"+{number}", None, "Quarentena encerrada.")


def _parse_reason(text: str) -> str:
    return refuse_personal_data("reason", clean_text("reason", text, longest=REASON_LENGTH, one_line=False))


def _quarantine_duration(call: Call) -> timedelta:
    return timedelta(days=call.platform.settings.phone_quarantine_days)


async def _change(
    call: Call,
    number: str,
    change: Callable[[StoredPhone], Phone | None],
    *,
    subject: Cpf | None = None,
    details: EntryDetails | None = None,
    claimant: Cpf | None = None,
) -> Changed:
    """Read the number, decide, and write the change with its entry and audit event.

    If another call has changed the number in the meantime, start again. If `change` returns None, only the audit event
    is written. The event's subject is the person to whom the number was bound before the change. If there is none, it
    is the person to whom the number is bound after the change, or else `subject`.
    """
    call.require_reason()

    async def attempt(connection: Connection) -> Changed | None:
        found = await store.find_phone(connection, number, claimant)
        after = change(found)
        person = found.phone.cpf or (after.cpf if after else None)
        entries = [_make_entry(call, number, person, details)] if details and after else []
        trail = call.platform.audit.encode_event(call, "update", subject=person or subject, fields=FIELDS)
        is_written = await store.write_phone(connection, number, found, after, entries, trail)
        return Changed(found.phone, after) if is_written else None

    return await write_optimistically(call.platform.database, attempt)


def _make_entry(call: Call, number: str, person: Cpf | None, details: EntryDetails) -> PhoneEntry:
    return PhoneEntry(
        id=new_id(),
        cpf=person.digits if person else None,
        number_hash=f"\\x{call.platform.audit.key.derive('phone-number', number).hex()}",
        number="*" * (len(number) - 4) + number[-4:],
        action=details.action,
        channel=details.channel,
        reason=details.reason,
        actor_kind=call.actor_kind,
        azp=call.client,
        request_id=call.request_id,
    )


async def validate_registration(call: Call, number: str, body: RegistrationBody) -> RegistrationVerdict:
    """Return whether name, CPF and birth date match the city's record.

    The phone book does not change. The call is audited as a read of the person's data. Raises Invalid for an invalid
    body, and TooMany after too many attempts for this CPF.
    """
    cpf, _ = _parse_cpf(body.cpf), parse_channel(body.channel)
    name = clean_text("name", body.name, longest=NAME_LENGTH)
    born = _parse_birth(body.birth_date)
    await _spend(call, GUESS_RATE, "registry.validate_phone_registration", cpf)
    async with call.reading(cpf, ["nome", "nascimento"]) as source:
        valid = await _is_known(source, cpf, name, born)
    if not valid:
        return RegistrationVerdict(False, None, None)
    return RegistrationVerdict(True, cpf.masked, mask_name(name))


async def _spend(call: Call, rate: str, what: str, cpf: Cpf) -> None:
    """Count a call that concerns this person, whoever makes it. Raises TooMany if the limit is exceeded."""
    platform = call.platform
    whom = platform.audit.key.derive("phone-guesses", cpf.digits).hex()
    await platform.limits.spend(platform.settings.declared_rate(rate), what, whom)


def _parse_birth(text: str) -> date:
    """Parse the date of birth. Raises Invalid unless the string is a date."""
    try:
        return msgspec.convert(text.strip(), date)
    except msgspec.ValidationError:
        raise Invalid("O campo `birth_date` deve ser uma data `AAAA-MM-DD`.", code="birth_date-invalid") from None


async def _is_known(connection: Connection, cpf: Cpf, name: str, born: date) -> bool:
    record = await citizens.read_citizen_record(connection, cpf)
    birth = (record.nascimento.data if record.nascimento else None) or ""
    return record.nome is not None and _fold(record.nome) == _fold(name) and birth[:10] == born.isoformat()


def _fold(text: str) -> str:
    """Normalise the text for comparison: without differences of case, accents and repeated spaces."""
    plain = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return " ".join(plain.casefold().split())


async def read_phone_preferences(call: Call, number: str) -> PhonePreferences:
    """Return the preferences of the person to whom the number is bound. Raises NotFound if it is not bound."""
    return _mask(await preferences.read_preferences(call, await _require_person(call, number)))


async def change_phone_preferences(call: Call, number: str, body: PreferencesBody) -> PhonePreferences:
    """Change the preferences of the person to whom the number is bound.

    Raises NotFound if it is not bound, and the same errors as the citizen's own operation.
    """
    return _mask(await preferences.change_preferences(call, await _require_person(call, number), body, _mask))


async def choose_phone_category(call: Call, number: str, category: str, body: bytes) -> PhonePreferences:
    """Choose one category for the person to whom the number is bound.

    Raises NotFound if it is not bound, and the same errors as the citizen's own operation.
    """
    return _mask(await preferences.choose_category(call, await _require_person(call, number), category, body, _mask))


def _mask(found: Preferences) -> PhonePreferences:
    """Return the preferences with a masked CPF, because a phone number must not reveal a full CPF."""
    return PhonePreferences(
        cpf=Cpf(found.cpf).masked,
        opt_in=found.opt_in,
        category_opt_ins=found.category_opt_ins,
        updated_at=found.updated_at,
    )


async def _require_person(call: Call, number: str) -> Cpf:
    call.require_reason()
    phone = (await store.find_phone(call.platform.database, number)).phone
    if phone.cpf is None:
        raise NotFound("Este telefone não está ligado a ninguém.", code="phone-unknown")
    return phone.cpf


async def list_quarantined_phones(call: Call, page: Page, *, expired: bool) -> QuarantinedPhones:
    """Return a page of numbers: those in quarantine, or with `expired` those that have left quarantine."""
    call.require_reason()
    async with call.platform.database.connection() as connection:
        found, total = await store.select_quarantined_phones(connection, page, expired=expired)
    return QuarantinedPhones(found, page.of(total))


def _parse_cpf(text: str) -> Cpf:
    cpf = Cpf.parse(text.strip())
    if cpf is None:
        raise Invalid("O campo `cpf` deve ser um CPF válido, com 11 dígitos.", code="cpf-invalid")
    return cpf
