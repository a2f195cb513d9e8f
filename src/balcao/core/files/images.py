"""Re-encode images in a separate process with limits, so that only pixels remain (rules: registry 4.18).

Each process decodes one image and exits. Image decoders are C code that reads hostile input. A crash, an endless loop
or excessive use of memory ends only the decoder's process, and the caller gets an error.
"""

import asyncio
import os
import sys
from typing import NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from balcao.core.database.connection_quota import ConnectionQuota, holder
from balcao.core.errors import Invalid, Unavailable
from balcao.core.files.image_limits import DAMAGED, LONGEST_OUTPUT, MOST_PIXELS, TOO_MANY_PIXELS
from balcao.core.logs import log

# The time limit for one run of a decoder, including its waits for a CPU, and the maximum wait for a free decoder.
LONGEST_SECONDS = 30.0
_LONGEST_WAIT = 30.0
# The line of JSON before the image is shorter than this.
_LONGEST_HEAD = 100
_PROGRAM = ("-I", "-m", "balcao.core.files.image_decoder")
# Python itself needs these variables on some systems. The decoder gets no other variables, and so no secrets.
_ENVIRONMENT = ("LD_LIBRARY_PATH", "PATH")


class _Size(msgspec.Struct):
    width: int
    height: int


class Picture(NamedTuple):
    """A re-encoded image, which contains only pixels."""

    content: bytes
    width: int
    height: int


class _Slots:
    """The slots for decoding: one decoder at a time for each process, and one waiting image for each caller."""

    def __init__(self) -> None:
        self.share = ConnectionQuota(1)
        self.decoder = asyncio.Semaphore(1)


# The slots of each event loop, because a test process has several loops.
_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, _Slots] = WeakKeyDictionary()


async def reencode_image(content: bytes) -> Picture:
    """Return the image with only its pixels, at most 4,096 wide and 4,096 high.

    Raises Invalid if the image is damaged, or is too large or too expensive to decode. Raises TooMany if an earlier
    image of the caller takes too long, or Unavailable if this process's decoder stays busy for too long.
    """
    slots, caller = _slots.setdefault(asyncio.get_running_loop(), _Slots()), holder.get()
    if not slots.share.acquire_now(caller):
        await slots.share.acquire(caller, _LONGEST_WAIT)
    try:
        try:
            await asyncio.wait_for(slots.decoder.acquire(), _LONGEST_WAIT)
        except TimeoutError:
            raise Unavailable(retry_after=10) from None
        try:
            return await _run_decoder(content)
        finally:
            slots.decoder.release()
    finally:
        slots.share.release(caller)


async def _run_decoder(content: bytes) -> Picture:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *_PROGRAM,
        stdin=pipe,
        stdout=pipe,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
    )
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            written = await _exchange(process, content)
            code = await process.wait()
    except TimeoutError:
        raise _refuse_expensive() from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if code == DAMAGED:
        raise Invalid(
            "A imagem está incompleta ou danificada: envie-a de novo, ou tire outra foto.", code="file-damaged"
        )
    if code == TOO_MANY_PIXELS:
        most = {kind: f"{pixels // 1_000_000} milhões" for kind, pixels in MOST_PIXELS.items()}
        text = f"A imagem tem pixels demais (até {most['JPEG']} em JPEG e {most['PNG']} em PNG): envie uma menor."
        raise Invalid(text, code="image-too-large")
    if code or len(written) > LONGEST_OUTPUT + _LONGEST_HEAD:
        log.warning("files.decoder_failed", code=code)
        raise _refuse_expensive()
    head, _, image = written.partition(b"\n")
    size = msgspec.json.decode(head, type=_Size)
    return Picture(image, size.width, size.height)


async def _exchange(process: asyncio.subprocess.Process, content: bytes) -> bytes:
    """Send the image to the decoder and return its output, up to one byte more than the limit."""
    assert process.stdin is not None
    assert process.stdout is not None
    sending = asyncio.ensure_future(_send(process.stdin, content))
    parts, left = [], LONGEST_OUTPUT + _LONGEST_HEAD + 1
    try:
        while left > 0 and (part := await process.stdout.read(left)):
            parts.append(part)
            left -= len(part)
    finally:
        sending.cancel()
    if left <= 0:
        process.kill()
    return b"".join(parts)


async def _send(stdin: asyncio.StreamWriter, content: bytes) -> None:
    try:
        stdin.write(content)
        await stdin.drain()
        stdin.close()
    except ConnectionError:  # the decoder ended early, and its exit code gives the reason
        return


def _refuse_expensive() -> Invalid:
    return Invalid("Não foi possível abrir a imagem: envie outra, ou a mesma em JPEG.", code="image-unreadable")
