"""If a decoder fails, only its own caller is refused. The next image is accepted (rules: registry 4.18)."""

import asyncio

import psutil
import pytest

from balcao.core.errors import Invalid
from balcao.core.files import images
from balcao.core.files.images import reencode_image
from tests.support.sample_files import photo


async def test_a_decoder_that_takes_too_long_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(images, "LONGEST_SECONDS", 0.001)
        with pytest.raises(Invalid) as refused:
            await reencode_image(photo())
    assert refused.value.code == "image-unreadable"
    assert list_decoders() == []
    assert (await reencode_image(photo())).width == 64


async def test_a_caller_who_leaves_stops_the_decoder() -> None:
    running = asyncio.ensure_future(reencode_image(photo(3000, 3000)))
    while not list_decoders():  # noqa: ASYNC110 - a process has no event
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert list_decoders() == []


async def test_images_are_decoded_one_after_the_other() -> None:
    found = await asyncio.gather(*(reencode_image(photo(64, 48)) for _ in range(3)))
    assert [(picture.width, picture.height) for picture in found] == [(64, 48)] * 3


def list_decoders() -> list[psutil.Process]:
    """Return the decoder processes that this process has started and that still run."""
    return [child for child in psutil.Process().children() if "balcao.core.files.image_decoder" in child.cmdline()]
