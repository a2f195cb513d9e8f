"""Anonymise a person in two calls: first a dry run that is rolled back, then the real anonymisation.

The dry run returns a confirmation for the real call. The confirmation is not stored, so a dry run does not change the
person's data. It consists of an expiry time and a keyed hash. The hash covers the person, the state of their data and
the expiry time, so the confirmation is valid only for this person, until it expires, and while the data does not
change.
"""

import base64
import binascii
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from balcao.core.audit.personal_data import DeclaredPersonalData, Kept
from balcao.core.context.call import Call
from balcao.core.database.faults import Overtaken
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.period import Period
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.store import find_tombstone_moment, lock_mirror
from balcao.registry.rights import store
from balcao.registry.rights.schemas import Anonymisation, AnonymisationBody
from balcao.registry.rights.tombstones import Tombstone

VALID = timedelta(minutes=15)
RECORD_KEEPING_DUTY = "Dever de guarda de registros."
_ISOLATION = "repeatable_read"


async def anonymise_person(call: Call, cpf: Cpf, body: AnonymisationBody) -> Anonymisation:
    """Anonymise a person, or report what an anonymisation would do (rules: registry 4.9).

    Raises Invalid if staff give no reason, and Conflict for a confirmation that does not match.
    """
    if body.reason is not None:
        call.give_reason("reason", body.reason)
    elif not call.is_owner:
        raise Invalid("O campo `reason` é obrigatório: de 3 a 200 caracteres.", code="reason-missing")
    return await _rehearse(call, cpf) if body.dry_run else await _apply(call, cpf, body.confirmation)


async def _rehearse(call: Call, cpf: Cpf) -> Anonymisation:
    """Erase the person's data, report the result, and roll back.

    The dry run is audited as a read of the person's data.
    """
    async with call.reading(cpf, ["anonymisation"]):
        pass
    async with call.platform.database.rehearsal(isolation=_ISOLATION) as connection:
        report, state = await _erase(connection, call, cpf)
        expires_at = (await store.fetch_time_before(connection, -VALID)).replace(microsecond=0)
    report.dry_run = True
    report.confirmation, report.expires_at = _seal(call, state, expires_at), expires_at
    return report


async def _apply(call: Call, cpf: Cpf, confirmation: str | None) -> Anonymisation:
    if confirmation is None:
        text = "O campo `confirmation` é obrigatório com `dry_run` falso: envie o que a simulação respondeu."
        raise Invalid(text, code="confirmation-missing")
    async with call.platform.database.transaction(isolation=_ISOLATION) as connection:
        report, state = await _erase(connection, call, cpf)
        expires_at = _parse_expiry(confirmation)
        if not hmac.compare_digest(_seal(call, state, expires_at), confirmation):
            raise _refused()
        if expires_at <= await store.fetch_time_before(connection, timedelta(0)):
            raise _refused()
        fields = sorted({f"{cleared.kind}.{field}" for cleared in report.cleared for field in cleared.fields})
        await call.platform.audit.record(connection, call, "anonymise", subject=cpf, fields=fields)
    return report


async def erase_people_again(call: Call, tombstones: Sequence[Tombstone], reason: str) -> int:
    """Repeat the erasures that are missing from a restored database.

    Return how many were repeated (rules: registry 4.9).

    An anonymisation that came from the CRM is repeated as a CRM event, which erases less.
    """
    call.state_reason(reason)
    repeated = 0
    for each in tombstones:
        cpf = Cpf(each.cpf)
        async with call.platform.database.transaction(isolation=_ISOLATION) as connection:
            known = (await lock_mirror(connection, cpf)).anonymised_at
            if known is not None and known >= each.at:
                continue
            if each.asked:
                await _erase(connection, call, cpf)
            else:
                await mirror.anonymise_mirror(connection, cpf, each.at)
                await call.platform.part(DeclaredPersonalData).erase(connection, cpf, each.at, by_event=True)
            await call.platform.audit.record(connection, call, "anonymise", subject=cpf)
            repeated += 1
    return repeated


async def _erase(connection: Connection, call: Call, cpf: Cpf) -> tuple[Anonymisation, bytes]:
    """Erase the person's data in the caller's transaction.

    Return the report, and the state that a confirmation covers, as JSON.

    The state consists of the person, the time of an earlier anonymisation, the export before the erasure, and the list
    of the erased data. Lock order: the mirror first, as in every write of the person's data. Its tombstone is set
    before the other features erase. Raises Conflict if another transaction committed first.
    """
    declared = call.platform.part(DeclaredPersonalData)
    try:
        erased = await lock_mirror(connection, cpf)
        before = await declared.export(connection, cpf)
        at = await find_tombstone_moment(connection, cpf)
        cleared = await declared.erase(connection, cpf, at)
        kept = await _list_kept(connection, call, cpf)
    except Overtaken:
        raise _refused() from None
    state: list[Any] = [cpf.digits, erased.anonymised_at, before, cleared]
    return Anonymisation(cpf.digits, False, at, cleared, kept), msgspec.json.encode(state, order="deterministic")


async def _list_kept(connection: Connection, call: Call, cpf: Cpf) -> list[Kept]:
    kept = await call.platform.part(DeclaredPersonalData).retain(connection, cpf)
    subject = call.platform.audit.list_hashes(cpf)
    events = sum((await store.count_accesses(connection, subject, Period(None, None))).values())
    return [*kept, Kept("audit_events", events, RECORD_KEEPING_DUTY)]


def _seal(call: Call, state: bytes, expires_at: datetime) -> str:
    expiry = int(expires_at.timestamp()).to_bytes(8, "big")
    seal = call.platform.audit.key.derive("anonymisation", expiry.hex() + state.decode())
    return base64.urlsafe_b64encode(expiry + seal).decode().rstrip("=")


def _parse_expiry(confirmation: str) -> datetime:
    """Parse the expiry time in the confirmation. Raises Conflict if the confirmation is malformed.

    The caller must still verify the keyed hash, because the confirmation may be forged.
    """
    try:
        content = base64.urlsafe_b64decode(confirmation + "=" * (-len(confirmation) % 4))
        return datetime.fromtimestamp(int.from_bytes(content[:8], "big"), UTC)
    except (binascii.Error, ValueError, OverflowError, OSError):
        raise _refused() from None


def _refused() -> Conflict:
    return Conflict(
        "A confirmação é desconhecida, já foi usada ou venceu, ou os dados mudaram depois dela: simule de novo.",
        code="confirmation-refused",
    )
