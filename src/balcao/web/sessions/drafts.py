"""Drafts: text that a person typed but did not send. They are stored encrypted for that person (ADR 0015)."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import msgspec

from balcao.core.database.pool import Connection, Database
from balcao.web.sealing import InvalidSeal, Sealer
from balcao.web.sessions import store
from balcao.web.sessions.session import Session
from balcao.web.sessions.store import StoredDraft

MOST_DRAFTS = 20
# The maximum size of all drafts of one person. It is enough for the panel's largest form (16 MiB) with its field names.
MOST_DRAFT_BYTES = 18 * 1_048_576


class Draft(msgspec.Struct, frozen=True):
    """Text that a person typed but did not send: the form's address and title, and its fields."""

    path: str
    title: str
    fields: dict[str, list[str]]


class Drafts:
    """The drafts of a surface, stored in the surface's schema."""

    def __init__(self, database: Database, schema: str, sealer: Sealer, kept: timedelta) -> None:
        self._database = database
        self._schema = schema
        self._sealer = sealer
        self._kept = kept

    async def store(self, session: Session, draft: Draft) -> UUID | None:
        """Store typed text for the person's next session. Return the draft's id, or None if the text is too large."""
        sealed, number = await self.seal(session, draft), uuid4()
        if len(sealed) > MOST_DRAFT_BYTES:
            return None
        # Each statement commits separately. If several processes store drafts concurrently, the last one therefore sees
        # all drafts and deletes the oldest.
        async with self._database.connection() as connection:
            await self.write(connection, session, sealed, number)
        return number

    async def seal(self, session: Session, draft: Draft) -> bytes:
        """Encrypt a draft for the person who typed it, in a thread."""
        place = b"draft" + session.stored.subject_key
        return await asyncio.to_thread(lambda: self._sealer.seal(place, msgspec.json.encode(draft)))

    async def write(self, connection: Connection, session: Session, sealed: bytes, number: UUID) -> None:
        """Store an encrypted draft under this id, and delete the person's oldest drafts that exceed the limits."""
        subject = session.stored.subject_key
        await store.write_draft(connection, self._schema, number, subject, sealed)
        await store.delete_drafts_beyond(connection, self._schema, subject, MOST_DRAFTS, MOST_DRAFT_BYTES)

    async def list_own(self, session: Session) -> list[tuple[UUID, Draft]]:
        """Return the person's drafts, newest first."""
        subject = session.stored.subject_key
        async with self._database.connection() as connection:
            stored = await store.list_drafts(connection, self._schema, subject, self._kept)
        return await asyncio.to_thread(self._open_drafts, subject, stored)

    async def read(self, session: Session, number: str) -> Draft | None:
        """Return the person's draft with this id, or None if it does not exist."""
        subject = session.stored.subject_key
        try:
            async with self._database.connection() as connection:
                stored = await store.find_draft(connection, self._schema, UUID(number), subject, self._kept)
        except ValueError:
            return None
        found = [] if stored is None else await asyncio.to_thread(self._open_drafts, subject, [stored])
        return found[0][1] if found else None

    def _open_drafts(self, subject: bytes, stored: Sequence[StoredDraft]) -> list[tuple[UUID, Draft]]:
        found = []
        for one in stored:
            with suppress(InvalidSeal):
                opened = self._sealer.open(b"draft" + subject, one.content)
                found.append((one.id, msgspec.json.decode(opened, type=Draft)))
        return found

    async def find_saving(self, session: Session, number: UUID) -> datetime | None:
        """Return when the person's draft with this id was stored, or None if it does not exist."""
        async with self._database.connection() as connection:
            return await store.find_saving(connection, self._schema, number, session.stored.subject_key, self._kept)

    async def drop(self, session: Session, number: str) -> None:
        """Delete the person's draft with this id. Do nothing if it does not exist."""
        with suppress(ValueError):
            draft = UUID(number)
            async with self._database.connection() as connection:
                await store.delete_draft(connection, self._schema, draft, session.stored.subject_key)

    async def delete_old(self) -> None:
        """Delete drafts that are too old to be used."""
        async with self._database.connection() as connection:
            await store.delete_old_drafts(connection, self._schema, self._kept)
