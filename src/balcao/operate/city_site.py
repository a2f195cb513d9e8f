"""Generate the files with which a city adapts the citizen site: its name, colours, crest, contact and texts."""

import base64
import json
import struct
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from balcao.operate.deploy.files import File
from balcao.operate.faults import OperatorFault
from balcao.site.city import PICTURES, SITE_FILE, WORDS_FILE, CityFault, read_city
from balcao.site.palette import DARK, LIGHT

_PNG = b"\x89PNG\r\n\x1a\n"
_HEAD = """\
# O site do cidadão desta cidade. O site relê este arquivo em cinco segundos, sem reiniciar.
# Se algo estiver errado, o site continua com a versão anterior, e o log diz o que é (site.city_invalid).
# Uma tabela que você apagar volta a ser a do Balcão.

[city]
name = {name}
phone = {phone}

# As cores. Retire o # das que quiser mudar. Cada texto precisa de contraste 4,5 com o seu fundo; o site confere.
# brand: links e botões; brand2: os mesmos sob o ponteiro; on: letras em botões; navy: rodapé; tint e warm: fundos
# de avisos; bg: fundo da página; focus: moldura do que está em foco no teclado.
[colors.light]
{light}

# As mesmas cores, nas páginas escuras.
[colors.dark]
{dark}

"""


def prepare_site(name: str, phone: str, brand: str, crest: Path | None) -> dict[str, File]:
    """Return the files by their path in the city's folder. `brand` is the main colour, or empty for Balcão's.

    Raises OperatorFault if an answer is not valid.
    """
    if not name.strip() or not name.isprintable() or len(name) > 60:
        raise OperatorFault("--name: escreva o nome da cidade, com até 60 letras.")
    words = (files("balcao.site") / WORDS_FILE).read_text("utf-8")
    text = _HEAD.format(
        name=_quote(name.strip()),
        phone=_quote(phone.strip()),
        light=_list_colors(LIGHT, {"brand": brand} if brand else {}),
        dark=_list_colors(DARK, {}),
    )
    written = {SITE_FILE: File.of(text + _drop_head(words))}
    static = files("balcao.site") / "static"
    written |= {picture: File((static / picture).read_bytes()) for picture in PICTURES}
    if crest is not None:
        written["marca.svg"] = File(_read_crest(crest))
    _check(written)
    return written


def _quote(text: str) -> str:
    """Return a TOML string. TOML's basic strings have the same escapes as JSON's."""
    return json.dumps(text, ensure_ascii=False)


def _list_colors(defaults: Mapping[str, str], chosen: Mapping[str, str]) -> str:
    """Return a line for each colour. The line is commented out unless the colour was chosen."""
    return "\n".join(
        f"{name} = {_quote(chosen[name])}" if name in chosen else f"# {name} = {_quote(color)}"
        for name, color in defaults.items()
    )


def _drop_head(words: str) -> str:
    """Return the file without its first comment, which describes the program's own copy."""
    return words.partition("\n\n")[2]


def _read_crest(file: Path) -> bytes:
    """Return the crest as SVG. A PNG is embedded in an SVG."""
    content = file.read_bytes()
    if not content.startswith(_PNG):
        return content
    width, height = struct.unpack(">II", content[16:24]) if len(content) >= 24 else (0, 0)
    if not (width and height):
        raise OperatorFault(f"{file} não é um PNG válido.")
    side = max(width, height)
    data = base64.b64encode(content).decode()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"><image x="{(side - width) / 2:g}" '
        f'y="{(side - height) / 2:g}" width="{width}" height="{height}" href="data:image/png;base64,{data}"/></svg>\n'
    ).encode()


def _check(written: Mapping[str, File]) -> None:
    """Read the files as the site does. Raises OperatorFault if the site would reject them."""
    with TemporaryDirectory() as folder:
        for name, file in written.items():
            (Path(folder) / name).write_bytes(file.content)
        try:
            read_city(Path(folder))
        except CityFault as fault:
            raise OperatorFault(f"O site não aceita {fault}.") from None
