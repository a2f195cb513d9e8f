"""Who is logged in and what was granted, kept in the process: bounded and expiring.

Memory is enough for trial: a restart asks people to log in again, and access tokens stay valid because the keys
are kept. The production profile refuses the embedded provider.
"""

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from balcao.core.values.ids import new_id
from balcao.identity.demo import Person

CODE_SECONDS = 60
REFRESH_SECONDS = 1800
SESSION_IDLE_SECONDS = 1800
SESSION_SECONDS = 36_000
MOST = 20_000


def secret() -> str:
    return secrets.token_urlsafe(32)


class Record(Protocol):
    expires_at: float


R = TypeVar("R", bound=Record)


class Expiring(Generic[R]):
    """Records by an unguessable name. Beyond `MOST` the oldest go first."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, R] = OrderedDict()

    def add(self, name: str, record: R) -> None:
        self._records[name] = record
        while len(self._records) > MOST or self._oldest_is_over():
            self._records.popitem(last=False)

    def get(self, name: str) -> R | None:
        """None for an unknown, an expired or a displaced one."""
        record = self._records.get(name)
        return record if record is not None and record.expires_at > time.time() else None

    def drop(self, name: str) -> None:
        self._records.pop(name, None)

    def __len__(self) -> int:
        return len(self._records)

    def _oldest_is_over(self) -> bool:
        return bool(self._records) and next(iter(self._records.values())).expires_at <= time.time()


@dataclass
class Session:
    """A person logged in with one browser; ends with the logout, after half an hour without use, or after ten hours.

    `id` stands in tokens (`sid`), so the cookie also carries `key`.
    """

    person: Person
    id: str = field(default_factory=new_id)
    key: str = field(default_factory=secret)
    started_at: float = field(default_factory=time.time)
    expires_at: float = field(default_factory=lambda: time.time() + SESSION_IDLE_SECONDS)

    @property
    def cookie(self) -> str:
        return f"{self.id}.{self.key}"

    def used(self) -> None:
        self.expires_at = min(time.time() + SESSION_IDLE_SECONDS, self.started_at + SESSION_SECONDS)


@dataclass
class Grant:
    """What one login gave to one client; every code and token of it ends together."""

    session: Session
    client_id: str
    scope: str
    nonce: str | None
    id: str = field(default_factory=new_id)
    revoked: bool = False
    expires_at: float = field(default_factory=lambda: time.time() + SESSION_SECONDS)


@dataclass
class Code:
    grant: Grant
    redirect_uri: str
    challenge: str
    used: bool = False
    expires_at: float = field(default_factory=lambda: time.time() + CODE_SECONDS)

    def spend(self) -> None:
        """Remembered as long as its grant, so that a second use is noticed at any time."""
        self.used, self.expires_at = True, self.grant.expires_at


@dataclass
class Refresh:
    grant: Grant
    used: bool = False
    expires_at: float = field(default_factory=lambda: time.time() + REFRESH_SECONDS)

    def spend(self) -> None:
        self.used, self.expires_at = True, self.grant.expires_at


class Records:
    def __init__(self) -> None:
        self.sessions: Expiring[Session] = Expiring()
        self.grants: Expiring[Grant] = Expiring()
        self.codes: Expiring[Code] = Expiring()
        self.refreshes: Expiring[Refresh] = Expiring()

    def log_in(self, person: Person) -> Session:
        session = Session(person)
        self.sessions.add(session.id, session)
        return session

    def session(self, cookie: str) -> Session | None:
        """Of a browser's cookie. Counts as a use of it."""
        session = self.sessions.get(cookie.partition(".")[0])
        if session is None or not hmac.compare_digest(session.cookie.encode(), cookie.encode()):
            return None
        session.used()
        return session

    def grant(self, grant: Grant, redirect_uri: str, challenge: str) -> str:
        """Returns the code."""
        name = secret()
        self.grants.add(grant.id, grant)
        self.codes.add(name, Code(grant, redirect_uri, challenge))
        return name

    def refresh(self, grant: Grant) -> str:
        name = secret()
        self.refreshes.add(name, Refresh(grant))
        return name

    def holds(self, grant: Grant) -> bool:
        return not grant.revoked and self.sessions.get(grant.session.id) is not None
