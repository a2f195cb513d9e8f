"""Send requests and their steps to the CRM, and apply changes made to its cases (rules: registry 4.20)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.jobs.worker import PermanentFailure, Retry, this_try
from balcao.core.logs import log
from balcao.core.telemetry import counter
from balcao.core.values.clock import format_rfc3339
from balcao.core.values.cpf import Cpf
from balcao.core.values.text import clean_optional
from balcao.crm import cases
from balcao.crm.cases import Case
from balcao.crm.circuit import CIRCUIT_OPEN
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.crm.queries import make_misdirected
from balcao.registry.crm import iso_time
from balcao.registry.crm.push import service as push
from balcao.registry.crm.push.delivery import find_or_create_account
from balcao.registry.requests.lifecycle import store, views
from balcao.registry.requests.lifecycle.schemas import TEXT_LENGTH
from balcao.registry.requests.lifecycle.service import FIELDS, add_step, find_kind
from balcao.registry.requests.lifecycle.states import CLOSED, NEED_TEXT, Author, State, may_move
from balcao.registry.requests.lifecycle.store import NumberedStep, StoredRequest
from balcao.registry.requests.types.kinds import count_files
from balcao.registry.requests.types.schemas import RequestType

OPERATION = "registry.send_request_to_crm"
DESCRIPTION_LENGTH = 32_000  # the length limit of the field in Salesforce
WITHOUT_TEXT: Mapping[State, str] = {
    State.NEEDS_INFORMATION: "A prefeitura precisa de mais informações sobre o pedido.",
    State.REFUSED: "A prefeitura encerrou o pedido sem atendê-lo.",
}
_sent = counter("balcao_crm_request", "Tries to send a request to the CRM", "outcome")


class Delivery(NamedTuple):
    """The data for one attempt: a request, its type, and the steps that the CRM does not have yet."""

    row: StoredRequest
    kind: RequestType
    steps: Sequence[NumberedStep]

    @property
    def cpf(self) -> Cpf | None:
        return Cpf(self.row.owner) if self.row.owner else None


async def send_request(platform: Platform, request: str) -> None:
    """Try once to send the parts of a request that the CRM does not have yet. Do nothing if it has all of them.

    The CRM is called between two transactions, so no lock is held during the calls. If a job runs again, or its worker
    dies before the second transaction, the same records are written again. The queue handles the exceptions in the same
    way as for the push of own changes.
    """
    push.require_push_ready(platform)
    async with platform.database.connection() as connection:
        delivery = await _prepare(connection, request)
    if delivery is None:
        return
    try:
        case = await _write(platform, delivery, Deadline.within(push.BUDGET_SECONDS, tries=1))
    except (CrmAway, CrmRefused) as failure:
        raise _classify(platform, failure) from None
    async with platform.database.transaction() as connection:
        row = await store.lock_request(connection, delivery.row.number)
        if row is None:  # the retention has deleted the request
            return
        await store.mark_steps_sent(connection, row, delivery.row.last_step)
        if row.protocol is None:
            call = worker_call(platform, OPERATION)
            await platform.audit.record(connection, call, "push", subject=delivery.cpf, fields=FIELDS)
        await apply_case(connection, await _read_again(connection, row), case)
    _sent.inc("delivered")


async def _prepare(connection: Connection, request: str) -> Delivery | None:
    row = await store.select_request_by_id(connection, request)
    if row is None or row.erased_at is not None or row.sent_step >= row.last_step:
        return None
    steps = [step for step in await store.list_steps(connection, row) if step.seq > max(row.sent_step, 1)]
    own = [step for step in steps if step.author in {Author.CITIZEN, Author.STAFF}]
    return Delivery(row, await find_kind(connection, row), own)


async def _write(platform: Platform, delivery: Delivery, deadline: Deadline) -> Case:
    crm, row, cpf = platform.part(CrmClient), delivery.row, delivery.cpf
    whose = {}
    if cpf is not None:
        whose = {"AccountId": await find_or_create_account(platform, cpf, deadline), "CPF__c": cpf.digits}
    if row.protocol is None:
        await cases.write_case(crm, row.number, _describe(delivery) | whose, deadline)
    for step in delivery.steps:
        fields = {"Estado__c": step.state, "Texto__c": _describe_step(step), "Autor__c": step.author} | whose
        await cases.write_step(
            crm, row.number, step.seq, {name: fields[name] for name in fields if fields[name]}, deadline
        )
    case = await cases.find_case(crm, row.number, cpf, deadline)
    if case is None:
        raise CrmAway("CASE_NOT_FOUND")
    if row.protocol not in {None, case.protocol}:
        raise make_misdirected()
    return case


def _describe(delivery: Delivery) -> dict[str, Any]:
    row, kind = delivery.row, delivery.kind
    answers = [f"{answer.label} {answer.text}" for answer in views.to_answers(kind, row.answers)]
    return {
        "PedidoBalcao__c": True,
        "Type": kind.category,
        "Subcategoria__c": kind.name,
        "Origin": row.channel,
        "Description": "\n".join(answers)[:DESCRIPTION_LENGTH],
        "Endereco__c": row.place[:255] if row.place else None,
        "Prazo__c": format_rfc3339(row.deadline),
    }


def _classify(platform: Platform, failure: CrmAway | CrmRefused) -> Exception:
    """Return the exception for the queue, with the same attempts and delays as for the push of own changes."""
    if failure.code == CIRCUIT_OPEN:
        return push.make_wait(failure.retry_after or 0)
    final = isinstance(failure, CrmRefused) or this_try.get() >= platform.settings.crm_push_attempts
    _sent.inc("dead" if final else "retried")
    log.warning("crm_request.failed", error_code=failure.error_code, status=failure.http_status, final=final)
    if final:
        return PermanentFailure(failure.error_code)
    return Retry(failure.error_code, push.find_requested_delay(failure))


async def _read_again(connection: Connection, row: StoredRequest) -> StoredRequest:
    found = await store.lock_request(connection, row.number)
    assert found is not None  # it is locked
    return found


def _describe_step(step: NumberedStep) -> str | None:
    """Return the text of a step. The CRM has no files, so the text ends with their number."""
    if not step.files:
        return step.text
    added = f"\n({count_files(step.files)})"
    return (step.text or "")[: TEXT_LENGTH - len(added)] + added


async def apply_case(connection: Connection, row: StoredRequest, case: Case) -> bool:
    """Apply the protocol, status and message of a case to a locked request. Return whether the request changed.

    Only values that differ from the previous reading have an effect. A reading older than the previous one is ignored.
    Nothing is applied while steps by the citizen or staff wait to be sent, because the job that sends them reads the
    case afterwards.
    """
    if row.erased_at is None and (case.owner != row.owner or row.protocol not in {None, case.protocol}):
        make_misdirected()
        return False
    changed = iso_time.parse_iso_time(case.changed)
    if changed is None or (row.crm_changed_at is not None and changed < row.crm_changed_at):
        return False
    if row.sent_step < row.last_step and await _waits(connection, row):
        return False
    message = _clean(case.message)
    if (case.protocol, case.status, message) == (row.protocol, row.crm_status, row.crm_message):
        return False
    at = await store.read_clock(connection)
    kept = None if row.erased_at else message
    await store.note_crm_case(connection, row, case.protocol, case.status, kept, changed)
    state = row.state
    if row.protocol is None and may_move(state, State.SENT, Author.PLATFORM):
        await add_step(connection, row, State.SENT, None, Author.PLATFORM, at)
        state = State.SENT
    await _take_over(connection, row, state, case, message, at)
    return True


async def _waits(connection: Connection, row: StoredRequest) -> bool:
    """Return whether a step by the citizen or by staff has not been sent yet."""
    steps = await store.list_steps(connection, row)
    return any(step.seq > row.sent_step and step.author in {Author.CITIZEN, Author.STAFF} for step in steps)


async def _take_over(
    connection: Connection, row: StoredRequest, state: State, case: Case, message: str | None, at: datetime
) -> None:
    """Add a step for the CRM's new status or message, if there is one to add."""
    word = cases.STATES.get(case.status or "")
    target = State(word) if word else None
    text = message if message != row.crm_message and row.erased_at is None else None
    is_moved = case.status != row.crm_status and target is not state
    asks_again = target is State.NEEDS_INFORMATION and text is not None
    if target is not None and (is_moved or asks_again) and may_move(state, target, Author.CRM):
        needs_text = target in NEED_TEXT and row.erased_at is None
        await add_step(connection, row, target, text or (WITHOUT_TEXT[target] if needs_text else None), Author.CRM, at)
    elif text is not None and state not in CLOSED:
        await add_step(connection, row, None, text, Author.CRM, at)


def _clean(text: str | None) -> str | None:
    """Return the CRM's text, cleaned and truncated, or None if it cannot be cleaned."""
    try:
        return clean_optional("text", text and text[:TEXT_LENGTH], longest=TEXT_LENGTH, one_line=False)
    except Invalid:
        return None
