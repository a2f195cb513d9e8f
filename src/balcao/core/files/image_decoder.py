"""The program that re-encodes one image: it reads the image from standard input and writes it to standard output.

It runs in its own process (`images.py`) without secrets in its environment. The limits apply only to this process. An
image that exploits or exhausts the decoder can therefore end only this process.
"""

import contextlib
import io
import json
import os
import resource
import struct
import sys

from PIL import Image, ImageOps

from balcao.core.files.image_limits import (
    CPU_SECONDS,
    DAMAGED,
    LONGEST_OUTPUT,
    MEMORY_BYTES,
    MOST_PIXELS,
    TOO_MANY_PIXELS,
)

# The longest edge of the result, and the quality of a JPEG. The first pair whose result fits is used. Even an image of
# pure noise fits at 1,024 pixels: four bytes for each of a million pixels.
_STEPS = ((4096, 85), (2560, 80), (1600, 75), (1024, 70))
# The JPEG decoder halves an image while both edges are still at least this long. It does so before it allocates memory
# for the pixels.
_DRAFT_EDGE = 2560


def limit_process() -> None:
    """Limit the memory and the CPU time of this process, and stop it from writing files or dumping core."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):  # our systemd units forbid changes of priority
        os.nice(5)  # the event loop's requests have priority


def reencode(content: bytes) -> tuple[dict[str, object], bytes]:
    """Return the size of the new image, by name, and its bytes, which contain only pixels and no metadata.

    Exits with `DAMAGED` or `TOO_MANY_PIXELS` for an image that is rejected.
    """
    Image.MAX_IMAGE_PIXELS = None  # checked below
    try:
        image: Image.Image = Image.open(io.BytesIO(content), formats=("JPEG", "PNG"))
        kind = "PNG" if image.format == "PNG" else "JPEG"  # Pillow has its own name for a JPEG with several pictures
        if image.width * image.height > MOST_PIXELS[kind]:
            sys.exit(TOO_MANY_PIXELS)
        image.draft(None, (_DRAFT_EDGE, _DRAFT_EDGE))
        image.load()
        ImageOps.exif_transpose(image, in_place=True)
        image = _flatten(image, kind)
    except (OSError, ValueError, SyntaxError, TypeError, struct.error):  # the last two come from damaged EXIF data
        sys.exit(DAMAGED)
    for edge, quality in _STEPS:
        image.thumbnail((edge, edge), Image.Resampling.BICUBIC, reducing_gap=2.0)
        written = io.BytesIO()
        image.save(written, kind, quality=quality)
        if written.tell() <= LONGEST_OUTPUT:
            break
    return {"width": image.width, "height": image.height}, written.getvalue()


def _flatten(image: Image.Image, kind: str) -> Image.Image:
    """Return the image without metadata, in a mode that its format stores with 8 bits per channel."""
    if image.mode.startswith("I"):  # 16 bits per pixel
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    is_transparent = kind == "PNG" and image.has_transparency_data
    mode = "RGBA" if is_transparent else "L" if image.mode in {"1", "L"} else "RGB"
    if image.mode != mode:
        image = image.convert(mode)
    image.info = {}  # comments, profiles and XMP, which `save` would write again
    return image


def main() -> None:
    """Re-encode the image from standard input. Write one line of JSON, then the new image."""
    limit_process()
    size, written = reencode(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(size).encode() + b"\n" + written)


if __name__ == "__main__":
    main()
