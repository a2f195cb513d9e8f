"""What refusals cost: calls that are refused before anybody is known are counted, and beyond a burst answered 429.

By the address that called, as there is nothing else to go by, and in memory, for all processes of the machine. A good
token is never among them: it is verified whatever was refused before, so a caller who shares an attacker's address goes
on. A token that an issuer of ours signed and that opens nothing any more is counted by itself, so that the
neighbour's expired one is 401 as ever.

Log lines of refusals beyond the burst are added up, and so are all of them once too many were written.
"""

import asyncio
import hashlib
from collections import Counter
from contextvars import Context

from limits import parse

from balcao.core.access.caller import TokenRefused
from balcao.core.access.counts import Counts
from balcao.core.access.keys import KeyPending
from balcao.core.errors import BalcaoError
from balcao.core.logs import log

# The kinds that are counted apart: calls of unknown paths, calls without a good token, pages of the panel without a
# session, and its logins: a flood of pages keeps no neighbour from logging in.
PATH, TOKEN, PAGE, LOGIN = "path", "token", "page", "login"
# Tokens of one address whose key may be new (503): in a minute, beyond which they are forged (401).
PENDING_KEYS, PENDING_SECONDS = 5, 60.0
# After so many seconds one line says how many were not written.
SUMMARY_SECONDS = 10.0
# How many lines of refusals a process writes within that time, from however many addresses they come.
MOST_LINES = 500


class Refusals:
    """`rate` is how many refusals of one address are answered in full, such as `300/minute`."""

    def __init__(self, counts: Counts, rate: str) -> None:
        self._counts = counts
        self._written = 0
        self._unwritten: Counter[str] = Counter()
        self._summary: asyncio.TimerHandle | None = None
        self.change_rate(rate)

    def change_rate(self, rate: str) -> None:
        """Answer this many in full from now on; a period that runs is not made longer or shorter."""
        item = parse(rate)
        self._rate, self._most, self._seconds = rate, item.amount, item.get_expiry()

    def count(self, kind: str, who: str) -> float:
        """Count a refusal; return for how many seconds it and the next ones are answered 429, 0 within the burst."""
        count, lasting = self._counts.hit(self._seconds, ("refused", self._rate, kind, who))
        return lasting if count > self._most else 0.0

    def count_token(self, address: str, refused: TokenRefused, authorization: bytes | None) -> float:
        """Count a refused token as `count` does: by the address, or by itself where it is genuine."""
        who = hashlib.blake2b(authorization or b"", digest_size=20).hexdigest() if refused.is_genuine else address
        return self.count(TOKEN, who)

    def judge_pending(self, address: str, pending: KeyPending) -> BalcaoError:
        """Return the fault of a token whose key may be new: `pending` a few times a minute, else that it is forged."""
        count, _ = self._counts.hit(PENDING_SECONDS, ("pending key", address))
        return pending if count <= PENDING_KEYS else TokenRefused("token-key-unknown")

    def may_write(self) -> bool:
        """Tell whether one more refusal within its burst has log lines of its own."""
        self._begin_summary()
        self._written += 1
        return self._written <= MOST_LINES

    def add_up(self, code: str) -> None:
        """Let the refusal stand in the next summary."""
        self._begin_summary()
        self._unwritten[code] += 1

    def flush(self) -> None:
        """Write the summary, if there is something to tell."""
        if self._summary is not None:
            self._summary.cancel()
        codes, self._unwritten, self._written, self._summary = self._unwritten, Counter(), 0, None
        if codes:
            log.info("request.refusals", count=codes.total(), codes=dict(codes.most_common()))

    def _begin_summary(self) -> None:
        if self._summary is None:
            # In a context of its own: the line is about many requests, not the one that is refused now.
            loop = asyncio.get_running_loop()
            self._summary = loop.call_later(SUMMARY_SECONDS, self.flush, context=Context())
