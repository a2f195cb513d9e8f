"""Count calls that are refused before the caller is known, and answer them with 429 if an address causes too many.

- Refusals are counted by the caller's address, in memory, for all processes of the machine.
- Valid tokens are never affected, because tokens are verified first. A caller who shares an attacker's address is still
  served.
- A genuine token that is no longer accepted is counted separately, so a neighbour's expired token still gets 401.
- Refusals that get 429 are only summarised in the log. After too many log lines, all refusals are summarised.
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

# The kinds of refusals: calls to unknown paths, calls without a valid token, requests for the panel's pages without a
# session, and started or failed logins. Each kind is counted separately, so a flood of page requests does not keep
# neighbours from logging in.
PATH, TOKEN, PAGE, LOGIN = "path", "token", "page", "login"
# The number of tokens with a possibly new key (503) that one address may send in a minute. Further tokens count as
# forged (401).
PENDING_KEYS, PENDING_SECONDS = 5, 60.0
# The interval between two log lines that summarise the refusals without their own log line.
SUMMARY_SECONDS = 10.0
# The number of refusal lines that a process writes in SUMMARY_SECONDS, from all addresses together.
MOST_LINES = 500


class Refusals:
    """The counters for refusals.

    `rate` is the number of refusals of one address that get a full response, such as `300/minute`.
    """

    def __init__(self, counts: Counts, rate: str) -> None:
        self._counts = counts
        self._written = 0
        self._unwritten: Counter[str] = Counter()
        self._summary: asyncio.TimerHandle | None = None
        self.change_rate(rate)

    def change_rate(self, rate: str) -> None:
        """Set the rate. Every caller starts a new period, because the rate is part of the key."""
        item = parse(rate)
        self._rate, self._most, self._seconds = rate, item.amount, item.get_expiry()

    def count(self, kind: str, who: str) -> float:
        """Count a refusal. Return the seconds for which refusals now get 429, or 0 if the rate is not exceeded."""
        count, lasting = self._counts.hit(self._seconds, ("refused", self._rate, kind, who))
        return lasting if count > self._most else 0.0

    def count_token(self, address: str, refused: TokenRefused, authorization: bytes | None) -> float:
        """Count a refused token as `count` does: by address, or by the token itself if it is genuine."""
        who = hashlib.blake2b(authorization or b"", digest_size=20).hexdigest() if refused.is_genuine else address
        return self.count(TOKEN, who)

    def judge_pending(self, address: str, pending: KeyPending) -> BalcaoError:
        """Return `pending`, or a refusal of the token if the address has sent too many tokens with unknown keys."""
        count, _ = self._counts.hit(PENDING_SECONDS, ("pending key", address))
        return pending if count <= PENDING_KEYS else TokenRefused("token-key-unknown")

    def may_write(self) -> bool:
        """Return whether this process may write log lines for one more refusal."""
        self._begin_summary()
        self._written += 1
        return self._written <= MOST_LINES

    def add_up(self, code: str) -> None:
        """Add the refusal to the next summary."""
        self._begin_summary()
        self._unwritten[code] += 1

    def flush(self) -> None:
        """Write the summary if it is not empty."""
        if self._summary is not None:
            self._summary.cancel()
        codes, self._unwritten, self._written, self._summary = self._unwritten, Counter(), 0, None
        if codes:
            log.info("request.refusals", count=codes.total(), codes=dict(codes.most_common()))

    def _begin_summary(self) -> None:
        if self._summary is None:
            # Use an empty context, because the line must not name one request: it is about many.
            loop = asyncio.get_running_loop()
            self._summary = loop.call_later(SUMMARY_SECONDS, self.flush, context=Context())
