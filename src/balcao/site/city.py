"""The files of a city: `site.toml` with the city's name, contact details, colours and wording, and the pictures.

The running process reads changed files again. If a file is invalid, the previous valid files stay in use.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import msgspec

from balcao.site.palette import InvalidPalette, write_sheet
from balcao.site.wording import Wording

SITE_FILE = "site.toml"
WORDS_FILE = "words.toml"
# The crest next to the city's name, and the picture behind the search field on the first page.
PICTURES = ("marca.svg", "aurora.svg")
# Both pictures are part of the first load, which is limited to 60 kB in total.
LONGEST_PICTURE = 16_000
LONGEST_FILE = 200_000
# Processing instructions except the XML declaration: `<?xml-stylesheet ?>` loads another file.
_INSTRUCTION = re.compile(r"<\?(?!xml\s)")
# The parts of a style that load a file. A backslash could hide one of them.
_LOADING = re.compile(r"url\(\s*+['\"]?+(?!#)|image-set\(|image\(|src\(|\\", re.IGNORECASE)
_INLINE_PICTURE = re.compile(r"data:image/(?:png|jpeg|webp);base64,[A-Za-z0-9+/=\s]*")


class CityFault(Exception):
    """A file from the city that cannot be used. The message names the file and explains the error."""


@dataclass(frozen=True)
class CityFiles:
    """The texts, the style sheet with the city's colours, and the pictures that replace the built-in pictures."""

    wording: Wording
    sheet: str
    pictures: Mapping[str, bytes]


def read_city(folder: Path | None) -> CityFiles:
    """Return the city's files. Built-in files replace missing files, or all files if there is no folder.

    Raises CityFault if a file is invalid.
    """
    tables = tomllib.loads((files("balcao.site") / WORDS_FILE).read_text("utf-8"))
    pictures: dict[str, bytes] = {}
    if folder is not None:
        tables |= _read_tables(folder / SITE_FILE)
        pictures = {name: _read_picture(folder / name) for name in PICTURES if (folder / name).exists()}
    try:
        wording = msgspec.convert(tables, Wording)
        sheet = write_sheet(wording.colors.light, wording.colors.dark)
    except (msgspec.ValidationError, InvalidPalette) as fault:
        raise CityFault(f"{SITE_FILE}: {fault}") from None
    return CityFiles(wording, sheet, pictures)


def stamp_files(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return a value that changes whenever one of the city's files changes."""
    return tuple(_stamp(folder / name) for name in (SITE_FILE, *PICTURES))


def _stamp(file: Path) -> tuple[str, int, int]:
    try:
        found = file.stat()
    except OSError:
        return file.name, 0, 0
    return file.name, found.st_mtime_ns, found.st_size


def _read_tables(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_read(file, LONGEST_FILE).decode("utf-8"))
    except ValueError as fault:
        raise CityFault(f"{file.name}: {fault}") from None


def _read(file: Path, longest: int) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(longest + 1)
    except OSError as fault:
        raise CityFault(f"{file.name} não pôde ser lido: {fault.strerror}") from None
    if len(content) > longest:
        raise CityFault(f"{file.name} tem mais de {longest // 1000} kB")
    return content


def _read_picture(file: Path) -> bytes:
    """Read an SVG picture. Raises CityFault if the picture could run a script or load another address."""
    content = _read(file, LONGEST_PICTURE)
    try:
        text = content.decode("utf-8")  # in another encoding, the next checks would not find what they look for
        if "<!" in text.replace("<!--", ""):  # a DOCTYPE could define entities that expand without limit
            raise CityFault(f"{file.name}: retire a linha <!DOCTYPE")
        if _INSTRUCTION.search(text):
            raise CityFault(f"{file.name}: retire as instruções <?...?> que vêm depois da primeira linha")
        drawing = ElementTree.fromstring(text)  # noqa: S314 - it is short and has no entities
    except (UnicodeDecodeError, ElementTree.ParseError):
        raise CityFault(f"{file.name} não é um desenho SVG válido") from None
    if _strip(drawing.tag) != "svg":
        raise CityFault(f"{file.name} não é um desenho SVG")
    for element in drawing.iter():
        if fault := next(_list_dangers(element), None):
            raise CityFault(f"{file.name}: {fault}")
    return content


def _list_dangers(element: Element) -> Iterator[str]:
    name = _strip(element.tag).lower()
    if name in {"script", "foreignobject", "style"}:
        yield f"o elemento <{name}> não é permitido"
    for attribute, value in element.attrib.items():
        short = _strip(attribute).lower()
        if short.startswith("on"):
            yield f"o atributo {short} não é permitido"
        elif short == "href" and not (value.startswith("#") or _INLINE_PICTURE.fullmatch(value)):
            yield "o desenho não pode carregar nem abrir outros endereços"
        elif _LOADING.search(value):
            yield "o desenho não pode carregar outros endereços"


def _strip(name: object) -> str:
    """Return the name of an element or attribute without its namespace."""
    return str(name).rpartition("}")[2]
