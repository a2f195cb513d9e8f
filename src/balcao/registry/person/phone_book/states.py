"""What may happen to a telephone number (rules: registry 4.13), without SQL and HTTP.

free ──bind──> bound ──quarantine, reject──> quarantined ──release, time over──> free

A code sent to the number binds it from any state; that step is taken by the statement that uses the code up. What is
bound on a person's word alone ends when somebody else proves the number, when it is in another person's record, and
after some days.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from balcao.core.values.cpf import Cpf

# How long a number is bound on a person's word alone, and how many numbers of a person at once: enough for their own
# phones, and too few to keep other people from theirs.
UNPROVEN_LASTING = timedelta(days=30)
MOST_UNPROVEN = 3


class Proof(StrEnum):
    """How it is known that a number is the person's: by a code sent to it, or by their word alone."""

    CODE = "code"
    TOKEN = "token"  # noqa: S105 - no secret


@dataclass(frozen=True, slots=True)
class Phone:
    """A number is bound to a person, in quarantine, or free: then nothing is known of it.

    `opt_in` is the consent to be written to over this number; `was_bound` tells whether a quarantine ended a binding.
    """

    cpf: Cpf | None = None
    proof: Proof | None = None
    channel: str | None = None
    opt_in: bool = False
    bound_at: datetime | None = None
    quarantined_at: datetime | None = None
    quarantine_until: datetime | None = None
    was_bound: bool = False


FREE = Phone()


def bind_own(phone: Phone, cpf: Cpf, channel: str, now: datetime, *, is_anothers: bool) -> Phone | None:
    """Bind by the person's own word: None unless the number is theirs already, or free and in no other's record.

    What is theirs already stays so as long as before: nobody keeps a number by saying it again.
    """
    if phone.cpf == cpf:
        return replace(phone, channel=channel)
    return Phone(cpf, Proof.TOKEN, channel, bound_at=now) if phone == FREE and not is_anothers else None


def bind_proven(phone: Phone, cpf: Cpf, channel: str) -> Phone | None:
    """Bind by somebody else's word: None unless the person has proven the number by a code."""
    return replace(phone, channel=channel) if phone.cpf == cpf and phone.proof is Proof.CODE else None


def give_consent(phone: Phone, cpf: Cpf, channel: str) -> Phone | None:
    """Consent for the person whom the number is bound to; None for anybody else."""
    return replace(phone, opt_in=True, channel=channel) if phone.cpf == cpf else None


def withdraw_consent(phone: Phone) -> Phone:
    """Withdraw the consent of the person whom the number is bound to."""
    return replace(phone, opt_in=False)


def enter_quarantine(phone: Phone, now: datetime, lasting: timedelta) -> Phone:
    """End the binding for good and keep the number silent for that long, or for as long as it already is to be."""
    until = now + lasting
    if phone.quarantine_until is not None:
        return replace(phone, quarantine_until=max(until, phone.quarantine_until))
    return Phone(quarantined_at=now, quarantine_until=until, was_bound=phone.cpf is not None)
