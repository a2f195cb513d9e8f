"""The mirror stores a value's origin separately from its last confirmation (rules: registry 4.2)."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.context.call import worker_call
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import outbox, outbox_store
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.login_write_store import LoginWrite
from balcao.registry.mirror.records import MirroredField, OutboxRow
from balcao.registry.mirror.store import lock_mirror, read_clock, read_mirror, record_pushed_fields
from balcao.registry.mirror.writes import OwnWrite, parse_delta
from tests.support import demo_people
from tests.support.proof_sizes import size

ANA = Cpf(demo_people.ANA)
TOKEN = "token@x.example"
LATER = datetime(2098, 7, 1, tzinfo=UTC)
EMAILS = ["a@x.example", "b@x.example", TOKEN]
Told = tuple[datetime, dict[str, Any]]


@pytest.fixture(scope="module")
def loop_and_connection(database_url: str) -> Iterator[tuple[asyncio.AbstractEventLoop, asyncpg.Connection]]:
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(database_url))
        yield runner.get_loop(), connection
        runner.run(connection.close())


Within = Callable[[Callable[[asyncpg.Connection], Awaitable[Any]]], Any]


@pytest.fixture
def within(loop_and_connection: tuple[asyncio.AbstractEventLoop, asyncpg.Connection]) -> Within:
    """Return a function that runs a coroutine function in a transaction, and rolls the transaction back."""
    loop, connection = loop_and_connection

    async def run(story: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
        async with undone(connection):
            return await story(connection)

    return lambda story: loop.run_until_complete(run(story))


@asynccontextmanager
async def undone(connection: asyncpg.Connection) -> AsyncIterator[None]:
    whole = connection.transaction()
    await whole.start()
    try:
        yield
    finally:
        await whole.rollback()


async def declare(connection: asyncpg.Connection, **values: Any) -> None:
    call: Any = worker_call(None, "registry.test_own_writes")  # type: ignore[arg-type]
    fields = {name.replace("__", "."): value for name, value in values.items()}
    await mirror.write_own_fields(connection, call.as_owner(), ANA, OwnWrite(fields))


async def tell(connection: asyncpg.Connection, at: datetime, **dados: Any) -> None:
    await mirror.apply_delta(connection, ANA, parse_delta(dados), at)


async def held(connection: asyncpg.Connection, field: str = "email") -> MirroredField:
    return (await read_mirror(connection, ANA)).fields[field]


def after(minutes: int) -> datetime:
    return LATER + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("field", "own", "told"),
    [
        ("email", "Ana@X.example", "Ana@X.example"),
        ("email", "Ana@X.example", " ana@x.EXAMPLE"),
        ("telefonePrincipal", "5521988887777", "+55 (21) 98888-7777"),
        ("nomeExibicao", "Ana", "Ana"),
        ("endereco.cep", "", None),
        ("endereco.cep", None, ""),
    ],
)
def test_an_equal_word_of_the_crm_confirms_and_takes_nothing_over(
    within: Within, field: str, own: str | None, told: str | None
) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, **{field: own})
        before = await held(connection, field)
        part = field.removeprefix("endereco.")
        await tell(connection, LATER, **({part: told} if part == field else {"endereco": {part: told}}))
        now = await held(connection, field)
        assert (now.value, now.origin, now.at, now.confirmed_at) == (own, "citizen", before.at, LATER)

    within(story)


@pytest.mark.cases("registry", "C9")
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_another_word_supersedes_it_for_good_in_whatever_order_they_come(
    within: Within, order: tuple[int, ...]
) -> None:
    """The CRM sent another value, and then the citizen's value again in another spelling.

    The value then belongs to the CRM, in the CRM's spelling.
    """
    words = [(after(1), "b@x.example"), (after(2), "A@X.EXAMPLE"), (after(0), "a@x.example")]

    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, email="a@x.example")
        for number in order:
            at, email = words[number]
            await tell(connection, at, email=email)
        now = await held(connection)
        assert (now.value, now.origin, now.at, now.confirmed_at) == ("A@X.EXAMPLE", "crm", after(2), None)

    within(story)


@pytest.mark.parametrize("tombstone_first", [False, True])
def test_of_what_was_declared_before_a_tombstone_and_confirmed_after_it_the_crms_word_is_left(
    within: Within, *, tombstone_first: bool
) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, email="a@x.example", nomeExibicao="Ana")
        steps = [
            lambda: mirror.anonymise_mirror(connection, ANA, after(0)),
            lambda: tell(connection, after(1), email="A@x.example"),
        ]
        for step in steps if tombstone_first else reversed(steps):
            await step()
        fields = (await read_mirror(connection, ANA)).fields
        assert {name: (field.value, field.origin, field.at) for name, field in fields.items()} == {
            "email": ("A@x.example", "crm", after(1))
        }

    within(story)


def test_a_new_word_of_the_citizen_is_later_than_any_confirmation_and_takes_it_away(within: Within) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, email="a@x.example")
        await tell(connection, LATER, email="a@x.example")
        await declare(connection, email="b@x.example")
        await tell(connection, LATER, email="a@x.example")  # the CRM sends the same event once more
        now = await held(connection)
        assert (now.value, now.origin, now.at > LATER, now.confirmed_at) == ("b@x.example", "citizen", True, None)

    within(story)


def test_a_confirmation_that_lies_ahead_of_the_clock_is_released_too(within: Within) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, email="a@x.example", genero="x")
        await tell(connection, LATER, email="a@x.example")
        assert await mirror.release_future_fields(connection, ANA) == ["email"]
        assert await mirror.release_future_fields(connection, ANA) == []

    within(story)


@pytest.mark.cases("registry", "C11")
@pytest.mark.parametrize("told", [TOKEN, f" {TOKEN.upper()}"])
def test_what_a_login_wrote_takes_nothing_over_from_who_declared_another_meanwhile(within: Within, told: str) -> None:
    """When the login started, no e-mail had been declared.

    The echo of the login's write is newer than the citizen's value, but it is not a change made in the CRM.
    """

    async def story(connection: asyncpg.Connection) -> None:
        login = await mirror.begin_login_write(connection, ANA, TOKEN)
        assert login
        assert (login.email, login.is_own) == (TOKEN, False)
        assert 0 < await mirror.find_login_write_seconds(connection, ANA) <= mirror.LOGIN_WRITE_SECONDS
        await declare(connection, email="a@x.example")
        await tell(connection, LATER, email=told)
        assert (await held(connection)).value == "a@x.example"
        assert await outbox_store.list_dirty_fields(connection, ANA) == ["email"]
        await mirror.end_login_write(connection, ANA, login, delivered=True)
        assert await mirror.find_login_write_seconds(connection, ANA) == 0
        again = await mirror.begin_login_write(connection, ANA, TOKEN)
        assert again
        assert (again.email, again.is_own) == ("a@x.example", True)

    within(story)


@pytest.mark.cases("registry", "C13")
def test_what_people_change_in_the_crm_before_a_push_is_confirmed_is_later_than_it(within: Within) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, email="a@x.example")
        row = await outbox_store.lock_outbox_row(connection, ANA)
        assert row is not None
        await record_pushed_fields(connection, ANA, ["email"])
        begun = await read_clock(connection)
        changed = await read_clock(connection)  # the CRM's staff change the e-mail right after our call
        await outbox.mark_fields_sent(connection, ANA, row.id, row.dirty)
        await mirror.confirm_sent(connection, ANA, ["email"], begun)
        await tell(connection, changed, email="b@x.example")
        assert (await held(connection)).value == "b@x.example"

    within(story)


@pytest.mark.cases("registry", "C13")
def test_the_echo_of_a_login_takes_nothing_over_from_a_word_that_is_not_sent_yet(within: Within) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        await declare(connection, email="a@x.example")
        login = await mirror.begin_login_write(connection, ANA, TOKEN)
        assert login
        await declare(connection, email="b@x.example")
        written = await read_clock(connection)
        await mirror.end_login_write(connection, ANA, login, delivered=True)
        await tell(connection, written, email="a@x.example")
        assert (await held(connection)).value == "b@x.example"

    within(story)


@pytest.mark.cases("registry", "C12")
def test_the_echo_of_a_login_before_the_last_one_takes_nothing_over_either(within: Within) -> None:
    async def story(connection: asyncpg.Connection) -> None:
        first = await mirror.begin_login_write(connection, ANA, TOKEN)
        assert first is not None
        await declare(connection, email="a@x.example")
        await mirror.end_login_write(connection, ANA, first, delivered=True)
        second = await mirror.begin_login_write(connection, ANA, TOKEN)
        assert second is not None
        assert (second.email, second.is_own) == ("a@x.example", True)
        await tell(connection, LATER, email=TOKEN)
        now = await held(connection)
        assert (now.value, now.origin) == ("a@x.example", "citizen")
        assert await outbox_store.list_dirty_fields(connection, ANA) == ["email"]

    within(story)


@pytest.mark.cases("registry", "C12")
@pytest.mark.parametrize(
    ("field", "values"),
    [("email", ("a@x.example", "b@x.example", "c@x.example")), ("nomeExibicao", ("Ana", "", "Ana Maria"))],
)
def test_the_echo_of_a_push_whose_response_was_lost_takes_nothing_over(
    within: Within, field: str, values: tuple[str, ...]
) -> None:
    """The CRM applied the push, but the response was lost.

    When the echo arrives, another value has been declared but not pushed.
    """

    async def story(connection: asyncpg.Connection) -> None:
        for value in values:
            await declare(connection, **{field: value})
            await record_pushed_fields(connection, ANA, [field])
        for minute, value in enumerate(values[:2]):
            await tell(connection, after(minute), **{field: value or None})
        now = await held(connection, field)
        assert (now.value, now.origin) == (values[2], "citizen")
        assert await outbox_store.list_dirty_fields(connection, ANA) == [field]
        await mirror.confirm_sent(connection, ANA, [field], await read_clock(connection))
        await tell(connection, after(2), **{field: values[0]})  # after the confirmation, this is a change in the CRM
        assert (await held(connection, field)).origin == "crm"

    within(story)


class World:
    """The registry, a CRM with one account, and the messages between them. A random actor takes each step."""

    def __init__(self, connection: asyncpg.Connection, chance: random.Random) -> None:
        self.connection, self.chance = connection, chance
        self.crm: dict[str, Any] = {"email": None, "genero": None}
        self.changed: datetime | None = None
        self.on_the_way: list[Told] = []
        self.declared: str | None = None  # None once the CRM's staff have changed the e-mail
        self.sent: tuple[OutboxRow, dict[str, Any], datetime] | None = None
        self.login: LoginWrite | None = None
        self.landed = False  # the CRM has applied our call, but we have no response yet

    async def write_crm(self, values: dict[str, Any], *, whole: bool) -> None:
        self.crm |= {field: value or None for field, value in values.items() if field in self.crm}
        self.changed = moment = await read_clock(self.connection)
        self.on_the_way.append((moment, dict(self.crm) if whole else dict(values)))

    async def citizen(self) -> None:
        self.declared = self.chance.choice(EMAILS[:2])
        await declare(self.connection, email=self.declared)

    async def attendant(self) -> None:
        """Change the e-mail as the CRM's staff would, even between our call and its response."""
        self.declared = None
        await self.write_crm({"email": self.chance.choice(EMAILS)}, whole=self.chance.random() < 0.5)

    async def attendant_elsewhere(self) -> None:
        """Change another field as the CRM's staff would.

        The event contains the full record, including the e-mail that the citizen has declared.
        """
        if self.crm["email"] == self.declared:
            await self.write_crm({"genero": self.chance.choice("xy")}, whole=True)

    async def push(self) -> None:
        if self.sent is None and not await mirror.find_login_write_seconds(self.connection, ANA):
            await lock_mirror(self.connection, ANA)
            row = await outbox_store.lock_outbox_row(self.connection, ANA)
            if row is not None and (values := await record_pushed_fields(self.connection, ANA, list(row.dirty))):
                self.sent = row, dict(values), await read_clock(self.connection)
        elif self.sent is not None and not self.landed:
            self.landed = True
            await self.write_crm(self.sent[1], whole=self.chance.random() < 0.5)
        elif self.sent is not None and self.login is None:
            row, values, begun = self.sent
            await lock_mirror(self.connection, ANA)
            await outbox.mark_fields_sent(self.connection, ANA, row.id, row.dirty)
            await mirror.confirm_sent(self.connection, ANA, list(values), begun)
            self.sent, self.landed = None, False

    async def sign_in(self) -> None:
        if self.sent is not None and self.login is None:
            return
        if self.login is None:
            mirrored = (await read_mirror(self.connection, ANA)).fields.get("email")
            own = mirrored.value if mirrored is not None and mirrored.origin != "crm" else None
            if (own or TOKEN) != self.crm["email"]:
                self.login = await mirror.begin_login_write(self.connection, ANA, TOKEN)
        elif not self.landed:
            self.landed = True
            await self.write_crm({"email": self.login.email}, whole=self.chance.random() < 0.5)
        else:
            await mirror.end_login_write(self.connection, ANA, self.login, delivered=True)
            self.login, self.landed = None, False

    async def lose(self) -> None:
        """Lose our call to the CRM, or the CRM's response to it."""
        if self.login is not None:
            await mirror.end_login_write(self.connection, ANA, self.login, delivered=False)
        self.sent, self.login, self.landed = None, None, False

    async def deliver(self) -> None:
        """Deliver a random event. The same event may be delivered again later."""
        if self.on_the_way:
            moment, dados = self.chance.choice(self.on_the_way)
            await tell(self.connection, moment, **dados)
            if self.chance.random() < 0.6:
                self.on_the_way.remove((moment, dados))

    async def reconcile(self) -> None:
        if self.changed is not None:
            await tell(self.connection, self.changed, **self.crm)

    async def settle(self) -> None:
        while self.login is not None:
            await self.sign_in()
        while self.sent is not None or await outbox_store.lock_outbox_row(self.connection, ANA) is not None:
            await self.push()
        while self.on_the_way:
            await self.deliver()


FREQUENT = ("push", "push", "sign_in", "sign_in", "deliver")
ACTIONS = (*FREQUENT, "citizen", "attendant", "attendant_elsewhere", "lose", "reconcile")


@pytest.mark.long
@pytest.mark.cases("registry", "C10")
@settings(max_examples=size(150, 3_000), deadline=None)
@given(actions=st.lists(st.sampled_from(ACTIONS), min_size=15, max_size=40), seed=st.integers(0, 2**32))
def test_echoes_pushes_and_logins_end_with_one_email_which_is_the_declared_one(
    loop_and_connection: tuple[asyncio.AbstractEventLoop, asyncpg.Connection], actions: list[str], seed: int
) -> None:
    loop, connection = loop_and_connection

    async def story() -> None:
        async with undone(connection):
            world = World(connection, random.Random(seed))
            for action in actions:
                await getattr(world, action)()
            await world.settle()
            mirrored = (await read_mirror(connection, ANA)).fields.get("email")
            assert (mirrored.value if mirrored else None) == world.crm["email"]
            if world.declared is not None:
                assert mirrored is not None
                assert (mirrored.value, mirrored.origin) == (world.declared, "citizen")

    loop.run_until_complete(story())
