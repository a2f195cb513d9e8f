"""The states of a phone number and their transitions (rules: registry 4.13).

    free ──bind──> bound ──quarantine, reject──> quarantined ──release, time over──> free

A code sent to the number binds it from any state. The statement that consumes the code makes that transition.

A binding without proof ends if another person proves the number, if the number appears in another person's record, or
after `UNPROVEN_LIFETIME`.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from balcao.core.values.cpf import Cpf

# How long a binding without proof lasts, and how many of them a person may have: enough for their own phones, but too
# few to block other people's phones.
UNPROVEN_LIFETIME = timedelta(days=30)
MOST_UNPROVEN = 3


class Proof(StrEnum):
    """What proves a binding: a code that was sent to the number, or only the person's own token."""

    CODE = "code"
    TOKEN = "token"  # noqa: S105 - no secret


@dataclass(frozen=True, slots=True)
class Phone:
    """The state of a number: bound to a person, in quarantine, or free (no member is set).

    `opt_in` is the consent to receive messages at this number. `was_bound` is true if a quarantine ended a binding.
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


def bind_own(phone: Phone, cpf: Cpf, channel: str, now: datetime, *, belongs_to_another: bool) -> Phone | None:
    """Bind a number without proof.

    Return None unless it is already this person's, or free and in no other person's record.

    Repeating the claim does not extend the binding, so a person cannot hold a number by claiming it again and again.
    """
    if phone.cpf == cpf:
        return replace(phone, channel=channel)
    return Phone(cpf, Proof.TOKEN, channel, bound_at=now) if phone == FREE and not belongs_to_another else None


def bind_proven(phone: Phone, cpf: Cpf, channel: str) -> Phone | None:
    """Bind a number on behalf of the person. Return None unless the person has proven it by a code."""
    return replace(phone, channel=channel) if phone.cpf == cpf and phone.proof is Proof.CODE else None


def give_consent(phone: Phone, cpf: Cpf, channel: str) -> Phone | None:
    """Give consent for the person to whom the number is bound. Return None for any other person."""
    return replace(phone, opt_in=True, channel=channel) if phone.cpf == cpf else None


def withdraw_consent(phone: Phone) -> Phone:
    """Withdraw the consent of the person to whom the number is bound."""
    return replace(phone, opt_in=False)


def enter_quarantine(phone: Phone, now: datetime, duration: timedelta) -> Phone:
    """End the binding permanently and start a quarantine. A running quarantine is never shortened."""
    until = now + duration
    if phone.quarantine_until is not None:
        return replace(phone, quarantine_until=max(until, phone.quarantine_until))
    return Phone(quarantined_at=now, quarantine_until=until, was_bound=phone.cpf is not None)
