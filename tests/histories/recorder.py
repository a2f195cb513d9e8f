"""Clients that call a running platform, and the recorded history of their requests and responses."""

import asyncio
import base64
import random
import re
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import httpx
import msgspec
from joserfc import jwt

from balcao.core.access.logout_tokens import EVENT
from balcao.settings import Settings
from balcao_sandbox.identity.demo import people_by_login
from balcao_sandbox.identity.keys import SigningKeys
from tests.support.login import log_in
from tests.support.polling import PATIENCE

# A client gives up after this time, and the outcome is unknown. This is shorter than a freeze, but longer than a call
# takes under load.
ANSWER_SECONDS = 3.0
PAUSE_SECONDS = 0.05
LOGOUT_SECONDS = 120
# Responses with these statuses refuse an operation for reasons other than the resource's state, so it is not recorded.
REFUSED = (401, 408, 429)
# Matches a mark. Only one write of the whole run contains a given mark, so it can be found wherever it is shown or
# stored.
MARK = re.compile(r"marca-[a-z]+-[0-9]+")
_numbers = count(1)

Told: TypeAlias = Mapping[str, Any]
# A function that makes a call, given the caller, method, path and body. It returns a successful response or raises an
# error.
Call: TypeAlias = Callable[..., Awaitable[httpx.Response]]


def make_mark(resource: str) -> str:
    """Return a mark that no other write contains."""
    return f"marca-{resource}-{next(_numbers)}"


@dataclass(frozen=True)
class Ask:
    """An operation on one key of a resource: the request, and its description for the specification.

    - `actor` is a username. The client logs in again after a 401. "ana 7" is ana's session number 7.
    - `told` converts a response into the value that the specification compares.
    - `body` is sent as JSON, or as it is if it is bytes.
    - `events` are the possible numbers of audit events after an acknowledged write.
    - `refusals` are the statuses which mean that the operation did not happen.
    - With `ends_session`, the request reports the end of the actor's session, as the provider does.
    - With `is_in_crm`, the request goes to the sandbox CRM, as from the CRM's own staff.
    """

    key: str
    actor: str
    method: str
    path: str
    input: Mapping[str, Any]
    told: Callable[[httpx.Response], Told]
    body: Mapping[str, Any] | bytes | None = None
    events: Sequence[int] = (1,)
    headers: Mapping[str, str] = field(default_factory=dict)
    refusals: Sequence[int] = REFUSED
    ends_session: bool = False
    is_in_crm: bool = False

    @property
    def mark(self) -> str:
        """The mark in the body, or an empty string."""
        found = MARK.search(str(self.body))
        return found.group() if found else ""


class Resource(Protocol):
    """The behaviour of a resource's clients."""

    @property
    def name(self) -> str:
        """The resource's name in the specification."""

    @property
    def keys(self) -> Sequence[str]:
        """The keys from which the clients choose. Operations on different keys are independent."""

    def reads(self, key: str) -> Sequence[Ask]:
        """Return the requests that together read everything stored for the key."""

    def choose(self, key: str, chance: random.Random) -> Ask:
        """Return a random operation on the key."""


@runtime_checkable
class Prepared(Protocol):
    """A resource whose keys belong to objects that must be created before the history starts."""

    async def prepare(self, call: Call) -> None:
        """Create the objects behind the keys."""


class Operation(msgspec.Struct):
    """One line of a history. Times are nanoseconds of one monotonic clock. Without an output, the outcome is unknown.

    The checker reads the members up to `output`, and the invariants read all members. `mark` is the mark in a write,
    and `shown` contains the marks in the response.
    """

    resource: str
    key: str
    client: int
    call: int
    # written as `return`, which is a keyword in Python
    answered: int = msgspec.field(name="return")
    input: Told
    output: Told | None
    actor: str = ""
    request: str = ""
    method: str = ""
    status: int = 0
    events: Sequence[int] = ()
    mark: str = ""
    shown: list[str] = []

    @property
    def is_write(self) -> bool:
        """Whether the operation is a change, not a read."""
        return self.method != "GET"

    @property
    def is_acknowledged(self) -> bool:
        """Whether the platform reported a success."""
        return self.output is not None and self.status < 400

    @property
    def is_refused(self) -> bool:
        """Whether the platform reported that the operation did not happen."""
        return self.output is not None and self.status >= 400


class Recorder:
    """Clients that write their history to a file. `outcomes` counts operations by resource and outcome."""

    def __init__(self, settings: Settings, file: Path, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.answers = 0
        self._settings = settings
        self._file = file.open("wb")
        self._tokens: dict[str, str] = {}
        self._logins: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._http = httpx.AsyncClient(base_url=settings.base_url, timeout=ANSWER_SECONDS, transport=transport)

    async def close(self) -> None:
        await self._http.aclose()
        self._file.close()

    async def run(
        self, resources: Sequence[Resource], clients: int, seed: int, nemesis: Callable[[], Any], think: float = 0.0
    ) -> None:
        """Run this number of clients for each resource until the nemesis has finished.

        After a call, a client pauses if `think` is set or if the outcome is unknown. Each key is read before all other
        operations, and again after all of them, as soon as the platform responds.
        """
        for resource in resources:
            if isinstance(resource, Prepared):
                await resource.prepare(self._call)
        await self._read_all(resources)
        ending = asyncio.Event()
        async with asyncio.TaskGroup() as working:
            for resource in resources:
                for client in range(1, clients + 1):
                    chance = random.Random(f"{seed} {resource.name} {client}")
                    working.create_task(self._work(resource, client, chance, ending, think))
            await nemesis()
            ending.set()
        await self._read_all(resources)

    async def _call(self, actor: str, method: str, path: str, body: Any = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {await self._token(actor)}"}
        answer = await self._http.request(method, path, json=body, headers=headers, timeout=PATIENCE)
        return answer.raise_for_status()

    async def _read_all(self, resources: Sequence[Resource]) -> None:
        for resource in resources:
            for key in resource.keys:
                for ask in resource.reads(key):
                    async with asyncio.timeout(PATIENCE):
                        while not await self.ask(resource, ask, client=0):  # noqa: ASYNC110 - killed parts restart
                            await asyncio.sleep(PAUSE_SECONDS)

    async def _work(
        self, resource: Resource, client: int, chance: random.Random, ending: asyncio.Event, think: float
    ) -> None:
        await asyncio.sleep(think * chance.random())  # otherwise all clients would start at once
        while not ending.is_set():
            ask = resource.choose(chance.choice(resource.keys), chance)
            is_known = await self.ask(resource, ask, client)
            if think or not is_known:
                await asyncio.sleep(max(PAUSE_SECONDS, think * chance.uniform(0.5, 1.5)))

    async def ask(self, resource: Resource, ask: Ask, client: int) -> bool:
        """Send a request and record the operation, unless it was refused. Return whether its outcome is known."""
        token = await self._token(ask.actor)
        if token is None:
            return self._count(resource, "refused")
        request = str(uuid.uuid4())
        headers = {"Authorization": f"Bearer {token}", "X-Request-ID": request, **ask.headers}
        form = {"logout_token": self._sign_logout(token)} if ask.ends_session else None
        url = f"{self._settings.crm_url}{ask.path}" if ask.is_in_crm else ask.path
        content = {"content": ask.body} if isinstance(ask.body, bytes) else {"json": ask.body, "data": form}
        call = time.monotonic_ns()
        try:
            answer = await self._http.request(ask.method, url, headers=headers, **content)
        except httpx.ConnectError:
            return self._count(resource, "refused")  # the connection failed, so nothing was sent
        except httpx.TransportError:
            answer = None
        answered = time.monotonic_ns()
        if answer is not None and answer.status_code in ask.refusals:
            if answer.status_code == 401:
                self._tokens.pop(ask.actor, None)
            return self._count(resource, "refused")
        told = ask.told(answer) if answer is not None and answer.status_code < 500 else None
        operation = Operation(
            resource=resource.name,
            key=ask.key,
            client=client,
            call=call,
            answered=answered,
            input=ask.input,
            output=told,
            actor=ask.actor,
            request=request,
            method=ask.method,
            status=0 if answer is None else answer.status_code,
            events=ask.events if ask.method != "GET" else (0,),
            mark=ask.mark,
            shown=[] if answer is None else sorted(set(MARK.findall(answer.text))),
        )
        self._file.write(msgspec.json.encode(operation) + b"\n")
        self.answers += told is not None
        return self._count(resource, "unknown" if told is None else "known")

    def _count(self, resource: Resource, outcome: str) -> bool:
        self.outcomes[resource.name, outcome] += 1
        return outcome == "known"

    async def _token(self, actor: str) -> str | None:
        """Return a token of this demo person, or None if the person cannot log in.

        All clients of an actor share one login. With two logins, the actor would have two sessions, and a client could
        use one of them after another client has ended the other one.
        """
        async with self._logins[actor]:
            if actor not in self._tokens:
                login = actor.partition(" ")[0]
                password = people_by_login()[login].password
                try:
                    answer = await asyncio.to_thread(log_in, self._settings.issuers[0], login, password)
                except (httpx.HTTPError, AssertionError, KeyError, ValueError):
                    return None
                self._tokens[actor] = str(answer["access_token"])
            return self._tokens[actor]

    def _sign_logout(self, token: str) -> str:
        """Return a logout token, signed with the provider's key, which reports the end of the token's session."""
        payload = token.split(".")[1]
        session = msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["sid"]
        key, now = SigningKeys(self._settings).signing, int(time.time())
        claims = {
            "iss": self._settings.issuers[0],
            "aud": self._settings.auth_audience,
            "iat": now,
            "exp": now + LOGOUT_SECONDS,
            "jti": str(uuid.uuid4()),
            "sid": session,
            "events": {EVENT: {}},
        }
        return jwt.encode({"alg": "RS256", "kid": key.kid, "typ": "logout+jwt"}, claims, key)
