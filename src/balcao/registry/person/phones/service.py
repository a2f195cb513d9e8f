"""Let a citizen declare a phone number. It is stored only after a code sent to it has proven it (rules: registry 4.7).

Sent codes are counted in database rows and not by `core.limits`, because these limits protect other people's phones and
the city's money. They must therefore hold across all processes, in the sandbox, and while the shared cache is down.
"""

import re

from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound, TooMany
from balcao.core.jobs.worker import NewJob, encode_payload
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.pasted import compact_pasted
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.schemas import Message
from balcao.registry.person.declared import service as declared
from balcao.registry.person.phones import code as codes
from balcao.registry.person.phones import gateway, store
from balcao.registry.person.phones.number import Number
from balcao.registry.person.phones.schemas import ConfirmationBody, PhoneBody

TRIES = 5
# Portals compare this text to distinguish a wrong code from other errors (rules: registry 2.4).
WRONG_CODE = "Invalid or expired verification code"
_CODE = re.compile(f"[0-9]{{{codes.DIGITS}}}")


async def declare_phone(call: Call, cpf: Cpf, body: PhoneBody) -> Message:
    """Send a code to the number. The record does not change until the number is confirmed.

    Raises Invalid for an invalid number, Conflict if nothing changes, TooMany if too many codes were sent, and
    Unavailable if no gateway is configured. Raises PreconditionFailed if `If-Match` does not match.
    """
    number = Number.parse(body)
    gateway.require_sms_configured(call.platform)
    async with call.platform.database.connection() as connection:
        await _require_change(connection, call, cpf, number)
        await _open_verification(connection, call, cpf, number)
    return Message("Código enviado ao telefone: confirme-o para que o número passe a valer.")


async def _require_change(connection: Connection, call: Call, cpf: Cpf, number: Number) -> None:
    stored = await citizens.read_stored_citizen(connection, cpf)
    record = stored.citizen
    citizens.require_current(call, stored)
    current = record.telefone.principal if record.telefone else None
    if current is not None and f"{current.ddi}{current.ddd}{current.valor}" == number.digits:
        declared.require_stale(call, current, stored.read_at)


async def _open_verification(connection: Connection, call: Call, cpf: Cpf, number: Number) -> None:
    key = call.platform.audit.key
    hashes = codes.Secrets(key)
    verification, code = new_id(), codes.draw_code()
    opened = store.NewVerification(
        cpf=cpf,
        id=verification,
        number=number,
        code_hash=hashes.hash_code(verification, code),
        sealed_code=hashes.seal(code),
        lasting=call.platform.settings.phone_code_ttl,
    )
    counted = _make_counted(call, cpf, number)
    job = NewJob(store.CODE_JOB, encode_payload({"verification": verification}))
    trail = call.platform.audit.encode_event(call, "create", subject=cpf, fields=["phone_verification"])
    with guard_audit_write():
        wait = await store.open_verification(connection, opened, counted, job, trail)
    if wait > 0:
        text = "Já foram enviados códigos há pouco: aguarde para pedir outro."
        raise TooMany(text, code="phone-code-limit", retry_after=wait)


def _make_counted(call: Call, cpf: Cpf, number: Number) -> store.CountedHashes:
    """Return the hashes of the citizen and the number under the current key and all former keys.

    Codes are counted under all these keys. A key rotation therefore does not reset any count, and processes that still
    use the old key share their counts with those that use the new one.
    """
    every = [codes.Secrets(key) for key in call.platform.audit.keys]
    return store.CountedHashes(
        citizens=[each.hash_citizen(cpf) for each in every],
        numbers=[each.hash_number(number) for each in every],
        pairs=[each.hash_pair(cpf, number) for each in every],
    )


async def confirm_phone(call: Call, cpf: Cpf, body: ConfirmationBody) -> Message:
    """Make the number the main phone if the code is correct.

    Raises Invalid for an invalid body, NotFound if the code is wrong or no longer valid, and TooMany after too many
    attempts.

    An attempt is counted and committed before its code is compared, so guessing in parallel gains nothing.
    """
    number, code = Number.parse(body), _check_code(body.code)
    opened = await _count_try(call, cpf)
    matches = codes.is_code(call.platform.audit.keys, opened.id, code, opened.code_hash)
    if number.digits != opened.number.digits or not matches:
        raise _not_confirmed()
    if not await citizens.write_own_data(call, cpf, "telefone", opened.number.own_write, verification=opened.id):
        raise _not_confirmed()  # another call has already used the verification
    return Message("Telefone confirmado.")


async def _count_try(call: Call, cpf: Cpf) -> store.OpenVerification:
    trail = call.platform.audit.encode_event(
        call, "update", subject=cpf, fields=["phone_verification"], outcome="code_tried"
    )
    async with call.platform.database.connection() as connection:
        with guard_audit_write():
            opened = await store.take_try(connection, cpf, TRIES, trail)
        if opened is None:
            pause = await store.read_pause_after_tries(connection, cpf, TRIES)
            if pause is None:
                raise _not_confirmed()
            text = "Foram tentativas demais: peça um novo código."
            raise TooMany(text, code="phone-code-tries", retry_after=pause)
    return opened


def _check_code(text: str) -> str:
    code = compact_pasted(text)
    if not _CODE.fullmatch(code):
        raise Invalid(f"O campo `code` deve ter {codes.DIGITS} dígitos.", code="code-invalid")
    return code


def _not_confirmed() -> NotFound:
    text = "O código não confere ou não vale mais para este telefone."
    return NotFound(text, code="phone-code-wrong", compared=WRONG_CODE)


async def send_code(platform: Platform, verification: str) -> None:
    """Send the code, and then erase it. A code that is void, used or expired is erased without being sent."""
    async with platform.database.connection() as connection:
        unsent = await store.read_unsent_code(connection, verification)
    if unsent is not None:
        code = codes.unseal_code(platform.audit.keys, unsent.sealed_code)
        await gateway.deliver_code(platform, verification, unsent.number.e164, code)
    async with platform.database.transaction() as connection:
        await store.erase_code(connection, verification)
        if unsent is not None:
            call = worker_call(platform, "registry.send_phone_code")
            await platform.audit.record(connection, call, "push", subject=unsent.cpf, fields=["telefone"])
