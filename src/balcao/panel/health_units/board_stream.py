"""Streams the risk board: the redrawn board after each change, and heartbeats in between."""

import asyncio
import time
from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.responses import Response, stream_events
from balcao.core.offloading import run_in_thread
from balcao.panel.declaration import Pages
from balcao.panel.health_units import client
from balcao.panel.health_units.board import REDRAW_SECONDS, read_board
from balcao.panel.health_units.declared import AREA, BASE, READ
from balcao.panel.rights import read_rights
from balcao.panel.visit import Visit
from balcao.web.api import ApiFault
from balcao.web.provider import ProviderAway
from balcao.web.sessions.session import SessionOver

BEAT_SECONDS = 5.0
# End the stream after this time. The browser then reconnects, and the panel checks the session and the right again.
LONGEST_SECONDS = 600.0
# Wait this many seconds for the upstream. Then end the stream, so that the page polls instead.
OPENING_SECONDS = 4.0

pages = Pages(AREA, BASE)


@pages.get("/risco/ao-vivo", "Quadro de risco ao vivo", actions=[READ])
async def stream_board(visit: Visit) -> Response[Any]:
    """Send the board after each change, and at least once a minute.

    `Last-Event-ID` or `sequencia` contains the version that the browser already shows.
    """
    if "text/event-stream" not in (visit.request.headers.text(b"accept") or ""):
        return await visit.redirect(visit.address("health_units.show_board"))  # a person opened the address as a page
    known = visit.request.headers.text(b"last-event-id") or visit.query.first("sequencia")
    feed = visit.panel.feed
    if not feed.has_upstream:
        return Response(status=503, headers={"Retry-After": "300"})
    if not feed.has_room(visit.session.stored.key):
        return Response(status=429, headers={"Retry-After": "30"})
    return stream_events(_stream_changes(visit, known))


async def _stream_changes(visit: Visit, known: str) -> AsyncGenerator[bytes, None]:
    feed, ends_at = visit.panel.feed, time.monotonic() + LONGEST_SECONDS
    async with feed.listening(visit.session.stored.key) as changed:
        try:
            async with asyncio.timeout(OPENING_SECONDS):
                while not feed.is_alive:
                    changed.clear()
                    await changed.wait()
            drawn_at = time.monotonic()
            changed.set()  # include changes from before the subscription
            yield b"retry: 3000\n\n"
            while time.monotonic() < ends_at and feed.is_alive:
                if changed.is_set() or time.monotonic() - drawn_at >= REDRAW_SECONDS:
                    changed.clear()
                    await _renew(visit)
                    sequence = str(await client.read_sequence(visit.api))
                    if sequence != known or time.monotonic() - drawn_at >= REDRAW_SECONDS:
                        known, drawn_at = sequence, time.monotonic()
                        yield _write_event("quadro", await _draw(visit, int(sequence)), sequence)
                yield _write_event("vivo", f"{feed.age:.1f}")
                try:
                    async with asyncio.timeout(BEAT_SECONDS):
                        await changed.wait()
                except TimeoutError:
                    pass
        except (ApiFault, SessionOver, ProviderAway, BalcaoError, TimeoutError):
            return  # the page polls instead, and shows the error


async def _renew(visit: Visit) -> None:
    """Refresh the token and the rights, because a stream stays open longer than they are valid.

    Raises SessionOver if the session has ended or the person no longer has the right.
    """
    visit.session = await visit.panel.sessions.find_again(visit.session, is_use=False)
    tokens = await visit.panel.sessions.refresh_tokens(visit.session)
    visit.api = visit.panel.call_as(tokens.access_token, visit.request.id, visit.request.peer)
    visit.rights = await read_rights(visit.api)
    if not visit.may(READ):
        raise SessionOver


async def _draw(visit: Visit, sequence: int) -> str:
    board = await read_board(visit)
    drawn = partial(visit.render_text, "health_units/board_now.html", **board)
    return await run_in_thread(partial(drawn, sequence=sequence, drawn_at=int(time.time())))


def _write_event(name: str, data: str, id: str = "") -> bytes:
    lines = [f"id: {id}"] if id else []
    lines += [f"event: {name}", *(f"data: {line}" for line in data.splitlines())]
    return ("\n".join(lines) + "\n\n").encode()
