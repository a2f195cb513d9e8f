"""Check which recipients accept a mailing, and return the proof (rules: registry 4.17).

The answer must not reveal who is registered, so recipients who refuse and unknown recipients get the same answer.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from balcao.core.access.rules import Reason
from balcao.core.context.audit import HashKey
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Unprocessable
from balcao.core.offloading import SMALL, run_in_thread
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.consent.opt_outs.references import make_person_reference, make_phone_reference
from balcao.registry.senders.recipients import store
from balcao.registry.senders.recipients.purposes import describe_check
from balcao.registry.senders.recipients.questions import Question, parse_question
from balcao.registry.senders.recipients.schemas import (
    Campaigns,
    CheckedRecipient,
    CheckedRecipients,
    RecipientsCheck,
)
from balcao.registry.senders.recipients.store import CheckedCategory, Judged
from balcao.registry.senders.unsubscribe.links import Link, make_addresses

# The category of the platform's own messages about services that the person uses.
OWN_CATEGORY = "services"
# The sender that the ledger records if a person opts out through an e-mail from the platform.
OWN_SENDER = "balcao"
# The settings that set a client's quotas: for recipients, for recipients who do not accept, and for new mailings.
_ASKED, _REFUSED, _NEW_CAMPAIGNS = "recipients_limit", "refused_recipients_limit", "campaigns_limit"
# The audit events for this many people are encoded before yielding to the event loop. That takes a few milliseconds.
_EVENTS_AT_ONCE = 200
# Up to this many recipients are processed in the event loop. Longer lists are processed in a thread.
_FEW = 100


async def check_recipients(call: Call, category: str, body: RecipientsCheck) -> CheckedRecipients:
    """Return which of the recipients accept a mailing, in the order of the request.

    Each person gets one audit event per mailing.

    Raises Invalid for an invalid body, and Unprocessable for an unknown or inactive category. Raises TooMany if the
    client has used up its quota, and Conflict if it has declared another purpose for this mailing.
    """
    size = SMALL if len(_list_asked(body)) <= _FEW else SMALL + 1
    question = await run_in_thread(parse_question, body, size=size)
    await _spend(call, _REFUSED, 0)
    await _spend(call, _ASKED, len(question.recipients))
    found = await store.find_category(call.platform.database, category, call.client, question.campaign)
    if found is None:
        raise Unprocessable(
            "A categoria é desconhecida ou inativa: use as de `/notification-categories`.", code="category-unknown"
        )
    if found.campaign is None:
        await _spend(call, _NEW_CAMPAIGNS)
    async with call.platform.database.transaction() as connection:
        campaign = await _declare(connection, call, category, question, found)
        # Judge equal items once, so that a repeated item cannot change any answer.
        asked = list(dict.fromkeys(question.recipients))
        judged = dict(zip(asked, await _judge(connection, call, category, question, asked, found), strict=True))
        call.explain_to_person(describe_check(campaign, found.name, question.purpose))
        await _record(connection, call, campaign, question, judged.values())
    await _spend(call, _REFUSED, sum(not judged[each].accepts for each in question.recipients), is_late=True)
    return await run_in_thread(_answer, call, category, campaign, found.now, question, judged, size=size)


def _list_asked(body: RecipientsCheck) -> Sequence[str]:
    return [each for member in (body.cpfs, body.phones) if isinstance(member, list) for each in member]


async def _spend(call: Call, limit: str, amount: int = 1, *, is_late: bool = False) -> None:
    """Count the amount against one of this client's quotas. Raises TooMany if it is used up.

    With `is_late`, the answer has already been computed, so the amount is counted but no error is raised.
    """
    if not _is_platform(call):
        limits, rate = call.platform.limits, call.platform.rate(limit)
        await (limits.within if is_late else limits.spend)(rate, f"registry.{limit}", call.client, amount=amount)


def _is_platform(call: Call) -> bool:
    """Return whether another service of the platform makes this check before it sends the platform's own message."""
    return call.decision.reason is Reason.CLIENT


async def _declare(
    connection: Connection, call: Call, category: str, question: Question, found: CheckedCategory
) -> int:
    """Return the mailing's number. The first check declares the mailing."""
    campaign, purpose = found.campaign, found.purpose
    if campaign is None:
        campaign, purpose = await store.declare_campaign(
            connection, call.client, category, question.campaign, question.purpose
        )
    if purpose != question.purpose:
        raise Conflict(
            "Este envio já foi declarado com outra finalidade: use outro `campaign`.", code="campaign-purpose"
        )
    return campaign


async def _judge(
    connection: Connection, call: Call, category: str, question: Question, asked: Sequence[str], found: CheckedCategory
) -> list[Judged]:
    # For the platform's own messages, apply the category's default to unknown and erased people too. The platform
    # writes only to people who gave it their address, so it cannot be guessing CPFs.
    anyone = _is_platform(call)
    if not question.are_phones:
        return await store.judge_people(connection, asked, category, default_opt_in=found.default_opt_in, anyone=anyone)
    keys = call.platform.audit.keys
    hashes = [key.derive("phone-number", number) for number in asked for key in keys]
    return await store.judge_phones(
        connection, asked, hashes, len(keys), category, default_opt_in=found.default_opt_in, anyone=anyone
    )


async def _record(
    connection: Connection, call: Call, campaign: int, question: Question, judged: Iterable[Judged]
) -> None:
    """Record the check for each person who has not yet been checked for this mailing."""
    audit = call.platform.audit
    people = {hashed: each.cpf for each in judged if (hashed := audit.key.hash_cpf(each.cpf)) is not None}
    new = await store.add_campaign_people(connection, campaign, list(people))
    fields = [*(["phone_book"] if question.are_phones else []), "opt_in", "category_opt_ins"]
    subjects = [cpf for hashed, cpf in people.items() if hashed in new and cpf is not None]
    for start in range(0, len(subjects), _EVENTS_AT_ONCE):
        await audit.record_each(connection, call, "read", subjects[start : start + _EVENTS_AT_ONCE], fields=fields)


def _answer(
    call: Call,
    category: str,
    campaign: int,
    now: datetime,
    question: Question,
    judged: dict[str, Judged],
) -> CheckedRecipients:
    """Build the answers. An answer about a recipient who does not accept has no further members."""
    accepting = [recipient for recipient, found in judged.items() if found.accepts]
    links = [Link(recipient, category, call.client) for recipient in accepting]
    addresses = [None] * len(links) if question.are_phones else make_addresses(call.platform, links, now)
    unsubscribe = dict(zip(accepting, addresses, strict=True))
    key = call.platform.audit.key
    answers = {
        recipient: CheckedRecipient(
            recipient=_show(recipient, question),
            accepts=True,
            channel="phone" if question.are_phones else "email",
            basis="choice" if found.is_chosen else "default",
            proof=found.proof,
            reference=_make_reference(key, recipient, question),
            unsubscribe=unsubscribe[recipient],
        )
        if found.accepts
        else CheckedRecipient(_show(recipient, question), False)
        for recipient, found in judged.items()
    }
    return CheckedRecipients(category, campaign, now, [answers[recipient] for recipient in question.recipients])


def _show(recipient: str, question: Question) -> str:
    return f"+{recipient}" if question.are_phones else recipient


def _make_reference(key: HashKey, recipient: str, question: Question) -> str:
    if question.are_phones:
        return make_phone_reference(key, key.derive("phone-number", recipient))
    return make_person_reference(key, Cpf(recipient))


async def accepts_own_message(connection: Connection, cpf: Cpf) -> bool:
    """Return whether the platform may write to this person about a service that they use."""
    return await store.accepts_category(connection, cpf, OWN_CATEGORY)


def make_own_unsubscribe(platform: Platform, cpf: Cpf, now: datetime) -> str:
    """Return the unsubscribe address for an e-mail by the platform.

    It opts this person out of messages about services.
    """
    (address,) = make_addresses(platform, [Link(cpf.digits, OWN_CATEGORY, OWN_SENDER)], now)
    return address


async def list_campaigns(call: Call, page: Page) -> Campaigns:
    """Return a page of the mailings for which senders checked recipients, newest first."""
    async with call.platform.database.connection() as connection:
        found, total = await store.select_campaigns(connection, page)
    return Campaigns(found, page.of(total))
