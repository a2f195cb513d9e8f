"""What may happen to a telephone number (rules: registry 4.13), without SQL and HTTP.

free ──bind──> bound ──quarantine, reject──> quarantined ──release, time over──> free

Whoever proves a number by a code sent to it has it, from any state; that step is taken where the code is used up.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from balcao.core.values.cpf import Cpf


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

    def at(self, now: datetime) -> "Phone":
        """Return the number as it is at that moment: a quarantine whose time is over has left nothing."""
        return FREE if self.quarantine_until is not None and self.quarantine_until <= now else self


FREE = Phone()


def bind_own(phone: Phone, cpf: Cpf, channel: str, now: datetime) -> Phone | None:
    """Bind by the person's own word: None unless the number is free, or theirs already."""
    if phone.cpf == cpf:
        return replace(phone, channel=channel)
    return Phone(cpf, Proof.TOKEN, channel, bound_at=now) if phone == FREE else None


def bind_proven(phone: Phone, cpf: Cpf, channel: str) -> Phone | None:
    """Bind by somebody else's word: None unless the person has proven the number by a code."""
    return replace(phone, channel=channel) if phone.cpf == cpf and phone.proof is Proof.CODE else None


def opt_in(phone: Phone, cpf: Cpf, channel: str) -> Phone | None:
    """Consent for the person whom the number is bound to; None for anybody else."""
    return replace(phone, opt_in=True, channel=channel) if phone.cpf == cpf else None


def opt_out(phone: Phone) -> Phone:
    """Withdraw the consent, whosever it is."""
    return replace(phone, opt_in=False)


def quarantine(phone: Phone, now: datetime, lasting: timedelta) -> Phone:
    """End the binding for good and keep the number silent for that long, or for as long as it already is to be."""
    until = now + lasting
    if phone.quarantine_until is not None:
        return replace(phone, quarantine_until=max(until, phone.quarantine_until))
    return Phone(quarantined_at=now, quarantine_until=until, was_bound=phone.cpf is not None)
