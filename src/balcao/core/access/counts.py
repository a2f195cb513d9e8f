"""How often each key was used in its present window, counted across the processes of one machine without a lock.

The processes map one file. Each has a region of its own in it, which it alone writes and the others read, so nothing
is ever locked: the count of a key is the sum over the regions. A region is a table of fixed size in which a key has one
slot, and two words say whose the slot is, and how far it counted until when.

Cost and bounds: about a microsecond a call; `SLOTS * 16` bytes a process, of which only the used pages are allocated,
and at most `MOST_WINDOWS` entries of the dictionary. Two processes that count at the same instant may each miss the
other's last call, so a limit is overshot by at most the number of processes less one. Two keys that meet in one slot
hide each other's counts from the other processes while both are in use: such a key may reach its limit once
in each process. Nobody is ever refused for somebody else's calls.

A table of ours, because the libraries count either in one process or by a round trip to a server, and because a process
that is killed with a lock in its hands stops the others (ADR 0013).
"""

import functools
import hashlib
import mmap
import os
import time
from collections.abc import Callable
from pathlib import Path

SLOTS = 1 << 18
MOST_WINDOWS = 1 << 16
_SLOT_WORDS, _WORD_BYTES = 2, 8
_REGION_WORDS = SLOTS * _SLOT_WORDS
# The second word: the window's end in milliseconds above, the count below. Both together, since one word is written at
# once and two are not.
_COUNT_BITS = 20
_COUNT = (1 << _COUNT_BITS) - 1


class _Window:
    """A key's present window as this process knows it; `offset` is its slot's within a region."""

    __slots__ = ("count", "ends_at", "ends_word", "offset", "own", "tag")

    def __init__(self, offset: int, tag: int, own: int, ends_word: int, count: int) -> None:
        self.offset = offset
        self.tag = tag
        self.own = own
        self.ends_word = ends_word
        self.ends_at = (ends_word >> _COUNT_BITS) / 1000
        self.count = count


class Counts:
    """The counts of process `number` of `processes`; without a file those of one process alone.

    `secret` keeps keys, which name people, unreadable in the file, and slots unguessable.
    """

    def __init__(
        self,
        secret: bytes = b"",
        file: Path | None = None,
        number: int = 0,
        processes: int = 1,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._locate = functools.lru_cache(maxsize=MOST_WINDOWS)(functools.partial(_locate, secret[:64]))
        self._words = _map(file, processes * _REGION_WORDS * _WORD_BYTES)
        self._own = number * _REGION_WORDS
        self._others = [other * _REGION_WORDS for other in range(processes) if other != number]
        self._clock = clock
        self._windows: dict[tuple[str, ...], _Window] = {}

    def hit(self, seconds: float, key: tuple[str, ...]) -> tuple[int, float]:
        """Count one use. Return how many there are in the key's window, this one included, and the seconds it lasts."""
        now = self._clock()
        window = self._windows.get(key)
        if window is None or window.ends_at <= now:
            window = self._open(seconds, key, now)
        words, own, tag = self._words, window.own, window.tag
        window.count += 1
        if words[own] != tag:
            words[own + 1] = 0  # before the tag, so that no other process takes the old key's count for the new one's
            words[own] = tag
        words[own + 1] = window.ends_word | min(window.count, _COUNT)
        total = window.count
        if self._others:
            total += self._count_elsewhere(window.offset, tag, _last_ended_word(now))
        return total, window.ends_at - now

    def remaining(self, key: tuple[str, ...]) -> float:
        """Return the seconds until the window of this key ends in whichever process; zero or less without one."""
        now = self._clock()
        window = self._windows.get(key)
        if window is not None and window.ends_at > now:
            return window.ends_at - now
        if not self._others:
            return 0.0
        offset, tag = self._locate(key)
        return (self._find_open_word(offset, tag, now) >> _COUNT_BITS) / 1000 - now

    def _open(self, seconds: float, key: tuple[str, ...], now: float) -> _Window:
        """Begin a window, or join the one that another process (or this one's predecessor) has begun."""
        if len(self._windows) >= MOST_WINDOWS:
            self._windows.clear()  # the mapped words still hold the counts
        offset, tag = self._locate(key)
        own = self._own + offset
        begun = self._find_open_word(offset, tag, now)
        earlier = self._words[own + 1] if self._words[own] == tag else 0
        ends_word = (begun or int((now + seconds) * 1000) << _COUNT_BITS) & ~_COUNT
        count = earlier & _COUNT if earlier & ~_COUNT == ends_word else 0
        window = self._windows[key] = _Window(offset, tag, own, ends_word, count)
        return window

    def _count_elsewhere(self, offset: int, tag: int, last_ended: int) -> int:
        words, total = self._words, 0
        for region in self._others:
            slot = region + offset
            if words[slot] == tag:
                value = words[slot + 1]
                # The tag is read again: between the two reads the slot may have become another key's.
                if value > last_ended and words[slot] == tag:
                    total += value & _COUNT
        return total

    def _find_open_word(self, offset: int, tag: int, now: float) -> int:
        """Return the word of a window that has not ended, of any process; zero when there is none."""
        last_ended, words = _last_ended_word(now), self._words
        for region in (self._own, *self._others):
            slot = region + offset
            value = words[slot + 1] if words[slot] == tag else 0
            if value > last_ended and words[slot] == tag:
                return value
        return 0


def _last_ended_word(now: float) -> int:
    """Return the greatest word that a window that has ended can have: a greater one is of an open window."""
    return int(now * 1000) << _COUNT_BITS | _COUNT


def _locate(secret: bytes, key: tuple[str, ...]) -> tuple[int, int]:
    """Return where in a region the key's slot begins, and the tag that marks the slot as the key's."""
    digest = hashlib.blake2b("\0".join(key).encode(), key=secret, digest_size=16).digest()
    slot = int.from_bytes(digest[:8], "big") % SLOTS
    return slot * _SLOT_WORDS, int.from_bytes(digest[8:], "big")


def _map(file: Path | None, size: int) -> memoryview:
    """Map the file's first `size` bytes as words; a longer file, of more processes, stays as it is."""
    if file is None:
        return memoryview(mmap.mmap(-1, size)).cast("Q")
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_size < size:
            os.truncate(descriptor, size)
        return memoryview(mmap.mmap(descriptor, size)).cast("Q")
    finally:
        os.close(descriptor)
