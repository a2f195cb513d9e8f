"""Photos and documents like those that citizens send, and hostile files."""

import io
import struct
import zlib

from PIL import Image
from PIL.TiffImagePlugin import IFDRational

# The personal data in the files. Tests check that stored files do not contain these data.
PLACE, DEVICE, COMMENT = b"-22.9068", b"Celular Aurora 9", b"casa da Ana"
_LATITUDE = (IFDRational(22), IFDRational(54), IFDRational(2448, 100))
_GPS, _ORIENTATION, _MODEL, _DESCRIPTION = 0x8825, 0x0112, 0x0110, 0x010E


def make_image(width: int = 64, height: int = 48, mode: str = "RGB") -> Image.Image:
    """Return an image whose left half is dark and whose right half is light."""
    image = Image.new("RGB", (width, height), (20, 40, 60))
    image.paste((220, 230, 240), (width // 2, 0, width, height))
    return image.convert(mode)


def photo(width: int = 64, height: int = 48, orientation: int = 1, *, progressive: bool = False) -> bytes:
    """Return a JPEG like those that phones make: with location, device, a comment, and extra data after its end."""
    exif = Image.Exif()
    exif[_ORIENTATION], exif[_MODEL], exif[_DESCRIPTION] = orientation, DEVICE.decode(), PLACE.decode()
    exif[_GPS] = {1: "S", 2: _LATITUDE, 3: "W", 4: _LATITUDE}
    written = io.BytesIO()
    make_image(width, height).save(
        written, "JPEG", exif=exif, comment=COMMENT, xmp=b"<x:xmpmeta>" + PLACE, progressive=progressive, dpi=(300, 300)
    )
    return written.getvalue() + b"<script>alert(1)</script>" + PLACE


def drawing(width: int = 64, height: int = 48, mode: str = "RGB") -> bytes:
    """Return a PNG with text chunks."""
    written = io.BytesIO()
    make_image(width, height, mode).save(written, "PNG")
    content = written.getvalue()
    texts = (
        chunk(b"tEXt", b"Comment\0" + COMMENT) + chunk(b"eXIf", b"MM\0*\0\0\0\x08\0\0" + DEVICE) + chunk(b"prVt", PLACE)
    )
    return content[:33] + texts + content[33:] + b"<html>" + PLACE


def document(text: bytes = b"comprovante", catalog: bytes = b"") -> bytes:
    """Return a small PDF with a correct cross-reference table, and with these entries in its catalogue."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
    ]
    content, places = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(content))
    return content + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def bomb(width: int, height: int, rows: int | None = None) -> bytes:
    """Return a PNG of a few kilobytes which claims this size. It contains `rows` black rows, by default all of them."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packer, row = zlib.compressobj(9), b"\0" * (width * 3 + 1)
    packed = b"".join(packer.compress(row) for _ in range(height if rows is None else rows)) + packer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def chunk(kind: bytes, content: bytes) -> bytes:
    """Return one chunk of a PNG."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
