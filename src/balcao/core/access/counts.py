"""Count the uses of each key in its current window, across the processes of one machine, without locks.

Layout: all processes map one file. Each process has its own region in the file, which only it writes and the others
read. The count of a key is the sum over all regions. A region is a table of fixed size with one slot for a key. A slot
has two words: the tag of the key, and the end of the key's window together with the count.

Cost: about a microsecond for each counted call, `SLOTS * 16` bytes of disk for each process (only the used pages need
memory), and at most `MOST_WINDOWS` entries in the dictionary.

Accuracy: two processes that count at the same instant may each miss the other's last call, so a limit is exceeded by at
most the number of processes minus one. Two keys that share a slot hide each other's counts from the other processes
while both are in use, so such a key may reach its limit once in each process. No caller is ever refused because of
another caller's calls.

Alternatives: libraries count either in one process or with a round trip to a server. With a lock, a process that is
killed while it holds the lock would stop all others (ADR 0013).
"""

import functools
import hashlib
import mmap
import os
import time
from collections.abc import Callable
from pathlib import Path

SLOTS = 1 << 18  # 4 MiB for each process
MOST_WINDOWS = 1 << 16
_SLOT_WORDS, _WORD_BYTES = 2, 8
_REGION_WORDS = SLOTS * _SLOT_WORDS
# The second word: the end of the window in milliseconds in the high bits, the count in the low bits. They share one
# word because a process writes one word atomically, but not two.
_COUNT_BITS = 20
_COUNT = (1 << _COUNT_BITS) - 1


class _Window:
    """A key's current window in this process. `offset` is the position of its slot within a region."""

    __slots__ = ("count", "ends_at", "ends_word", "offset", "own", "tag")

    def __init__(self, offset: int, tag: int, own: int, ends_word: int, count: int) -> None:
        self.offset = offset
        self.tag = tag
        self.own = own
        self.ends_word = ends_word
        self.ends_at = (ends_word >> _COUNT_BITS) / 1000
        self.count = count


class Counts:
    """The counters in process `number` of `processes`. Without a file, only this process counts.

    `secret` makes keys, which identify people, unreadable in the file, and their slots unpredictable.
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

    def hit(self, seconds: float, key: tuple[str, ...], amount: int = 1) -> tuple[int, float]:
        """Count `amount` uses.

        Return the number of uses in the key's window, including these uses, and the seconds until the window ends.
        """
        now = self._clock()
        window = self._windows.get(key)
        if window is None or window.ends_at <= now:
            window = self._open(seconds, key, now)
        words, own, tag = self._words, window.own, window.tag
        window.count += amount
        if words[own] != tag:
            words[own + 1] = 0  # cleared first, so that no process reads the old count
            words[own] = tag
        words[own + 1] = window.ends_word | min(window.count, _COUNT)
        total = window.count
        if self._others:
            total += self._count_elsewhere(window.offset, tag, _last_ended_word(now))
        return total, window.ends_at - now

    def remaining(self, key: tuple[str, ...]) -> float:
        """Return the seconds until this key's window in any process ends. Zero or less if there is no open window."""
        now = self._clock()
        window = self._windows.get(key)
        if window is not None and window.ends_at > now:
            return window.ends_at - now
        if not self._others:
            return 0.0
        offset, tag = self._locate(key)
        return (self._find_open_word(offset, tag, now) >> _COUNT_BITS) / 1000 - now

    def _open(self, seconds: float, key: tuple[str, ...], now: float) -> _Window:
        """Open a window, or join a window that another process or a previous process with this number opened."""
        if len(self._windows) >= MOST_WINDOWS:
            self._windows.clear()  # the mapped words still contain the counts
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
                # Read the tag again: the other process may have given the slot to another key between the two reads.
                if value > last_ended and words[slot] == tag:
                    total += value & _COUNT
        return total

    def _find_open_word(self, offset: int, tag: int, now: float) -> int:
        """Return the word of an open window in any process, or zero if there is none."""
        last_ended, words = _last_ended_word(now), self._words
        for region in (self._own, *self._others):
            slot = region + offset
            value = words[slot + 1] if words[slot] == tag else 0
            if value > last_ended and words[slot] == tag:
                return value
        return 0


def _last_ended_word(now: float) -> int:
    """Return the greatest second word of any window that has ended. The second word of every open window is greater."""
    return int(now * 1000) << _COUNT_BITS | _COUNT


def _locate(secret: bytes, key: tuple[str, ...]) -> tuple[int, int]:
    """Return the offset of the key's slot within a region, and the tag that marks the slot as the key's."""
    digest = hashlib.blake2b("\0".join(key).encode(), key=secret, digest_size=16).digest()
    slot = int.from_bytes(digest[:8], "big") % SLOTS
    return slot * _SLOT_WORDS, int.from_bytes(digest[8:], "big")


def _map(file: Path | None, size: int) -> memoryview:
    """Map the file's first `size` bytes as words. A longer file, made for more processes, is not shortened.

    Raises OSError if the disk has too little space. In a file with holes, the system would kill the process at the
    first write to a hole that a full disk cannot fill.
    """
    if file is None:
        return memoryview(mmap.mmap(-1, size)).cast("Q")
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)
        return memoryview(mmap.mmap(descriptor, size)).cast("Q")
    finally:
        os.close(descriptor)
