"""Read the state of the CRM integration, reset times in the future, and read a citizen's mirror."""

from datetime import timedelta

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.jobs import queue
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.crm.circuit import Circuit, State
from balcao.crm.client import CrmClient
from balcao.registry.crm.state import store
from balcao.registry.crm.state.schemas import (
    CircuitStatus,
    CrmMirror,
    CrmStatus,
    EventStatus,
    MirroredField,
    PushStatus,
    ReleasedFields,
)
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.fields import PUSH_JOB
from balcao.registry.mirror.store import read_mirror
from balcao.registry.person.citizens import choices


async def read_crm_status(call: Call) -> CrmStatus:
    """Return the counts for the whole platform, and the state of this process's circuit breaker."""
    async with call.platform.database.transaction() as connection:
        pushes = await queue.tally_jobs(connection, PUSH_JOB)
        events = await queue.tally_jobs(connection, "crm_event")
        counts = await store.read_crm_counts(connection)
    return CrmStatus(
        configured=call.platform.settings.crm_configured,
        circuit=_describe_circuit(call.platform.part(CrmClient).circuit),
        push=PushStatus(pushes.queued, pushes.running, pushes.dead, counts.oldest_push_age),
        events=EventStatus(
            pending=max(0, counts.waiting - events.dead),
            oldest_age_s=counts.oldest_event_age,
            applied_24h=counts.applied_24h,
            dead=events.dead,
        ),
        future_registers=counts.future_registers,
    )


def _describe_circuit(circuit: Circuit) -> CircuitStatus:
    state = circuit.state
    until = utc_now() + timedelta(seconds=circuit.seconds_until_probe) if state is State.OPEN else None
    return CircuitStatus(state, circuit.failures, until)


async def release_future_fields(call: Call, cpf: Cpf) -> ReleasedFields:
    """Reset the future times of the citizen's fields to now. Return how many fields changed.

    Raises NotFound for a citizen without a mirror.
    """
    async with call.platform.database.transaction() as connection:
        released = await mirror.release_future_fields(connection, cpf)
        if released is None:
            raise NotFound("Não há espelho deste cidadão.", code="mirror-unknown")
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=released)
    return ReleasedFields(len(released))


async def read_crm_mirror(call: Call, cpf: Cpf) -> CrmMirror:
    """Return a citizen's mirror, with a mark on each field that the citizen's record shows.

    The mirror is empty if nothing was ever written.
    """
    async with call.reading(cpf, ["crm_mirror"]) as source:
        mirrored = await read_mirror(source, cpf)
        head = await mirror.read_mirror_head(source, cpf)
    shown = choices.list_chosen(mirrored)
    fields = [
        MirroredField(name, value.value, value.at, value.origin, value.confirmed_at, name in shown)
        for name, value in sorted(mirrored.fields.items())
    ]
    return CrmMirror(cpf.digits, head.anonymised_at, head.consents_cleared_at, fields, head.consents)
