"""A city's own name, colours, pictures and texts. Valid files are used, and invalid ones are rejected with a reason."""

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.operate.city_site import prepare_site
from balcao.operate.faults import OperatorFault
from balcao.site.city import LONGEST_PICTURE, SITE_FILE, CityFault, read_city, stamp_files
from balcao.site.palette import DARK, LIGHT, InvalidPalette, measure_contrast, write_sheet
from tests.support.polling import until_now
from tests.support.site import SiteClient

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


def write(folder: Path, text: str) -> Path:
    (folder / SITE_FILE).write_text(text, "utf-8")
    return folder


def test_tables_of_the_city_replace_those_of_the_program_and_the_others_stay(tmp_path: Path) -> None:
    folder = write(tmp_path, '[city]\nname = "Vila Serena"\nphone = "0800 123"\n[say]\n"Imediato" = "Agora mesmo"\n')
    city, program = read_city(folder), read_city(None)
    assert (city.wording.city.name, city.wording.city.phone) == ("Vila Serena", "0800 123")
    assert city.wording.say_instead("Imediato") == "Agora mesmo"
    assert city.wording.subject == program.wording.subject
    assert (program.sheet, program.pictures, city.pictures) == ("", {}, {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[city", "site.toml"),
        ("[contact]\nhours = 8\n", "site.toml"),
        ('[colors.light]\nbrand = "blue"\n', "forma #1351b4"),
        ('[colors.light]\nbrand = "#ffff00"\n', "contraste"),
        ('[colors.dark]\nbrand = "#111111"\n', "escuras"),
        ('[colors.light]\nbrnad = "#1351b4"\n', "não há a cor brnad"),
        ("# " + "x" * 200_000, "mais de 200 kB"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(CityFault, match=reason):
        read_city(write(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CityFault, match="não pôde ser lido"):
        read_city(tmp_path)


def test_a_drawing_may_contain_a_picture_and_its_own_parts(tmp_path: Path) -> None:
    folder = write(tmp_path, "")
    parts = '<defs><path id="a" d="M0 0"/></defs><use href="#a" fill="url(\'#b\')"/>'
    drawing = SVG.format(f'{parts}<image href="data:image/png;base64,{PIXEL}"/>')
    (folder / "marca.svg").write_text(drawing)
    assert read_city(folder).pictures == {"marca.svg": drawing.encode()}


@pytest.mark.parametrize(
    "content",
    [
        SVG.format("<script>alert(1)</script>"),
        SVG.format('<g onload="alert(1)"/>'),
        SVG.format("<foreignObject/>"),
        SVG.format('<a href="javascript:alert(1)"/>'),
        SVG.format('<image href="https://other.example/a.png"/>'),
        SVG.format('<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="//other.example/a.svg#a"/>'),
        SVG.format('<image href="data:text/html;base64,AAAA"/>'),
        SVG.format('<path fill="url(https://other.example/a)"/>'),
        SVG.format("<style>@import url(//other.example)</style>"),
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + SVG.format("&a;"),
        ('<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + SVG.format("&a;")).encode("utf-16").decode("latin-1"),
        "<html/>",
        "<svg",
        "",
        SVG.format("<!-- " + "x" * LONGEST_PICTURE + " -->"),
    ],
)
def test_a_drawing_that_runs_or_loads_something_is_refused(tmp_path: Path, content: str) -> None:
    folder = write(tmp_path, "")
    (folder / "marca.svg").write_text(content, "latin-1")
    with pytest.raises(CityFault, match=r"marca\.svg"):
        read_city(folder)


def test_a_changed_file_has_another_stamp(tmp_path: Path) -> None:
    before = stamp_files(write(tmp_path, ""))
    assert stamp_files(tmp_path) == before
    after = stamp_files(write(tmp_path, "[city]\n"))
    assert after != before
    (tmp_path / "marca.svg").write_text(SVG)
    assert stamp_files(tmp_path) not in {before, after}


def test_the_colours_of_the_program_can_be_read() -> None:
    write_sheet(LIGHT, DARK)
    assert measure_contrast("#000000", "#ffffff") == pytest.approx(21)
    assert measure_contrast("#777777", "#777777") == pytest.approx(1)


@given(st.sampled_from(sorted(LIGHT)), st.integers(0, 0xFFFFFF))
def test_every_accepted_colour_leaves_text_readable(name: str, color: int) -> None:
    chosen = f"#{color:06x}"
    try:
        sheet = write_sheet({name: chosen}, {})
    except InvalidPalette:
        return
    assert sheet == f":root{{--{name}:{chosen}}}"
    changed = {**LIGHT, name: chosen}
    assert measure_contrast(changed["brand"], changed["bg"]) >= 4.5
    assert measure_contrast(changed["on"], changed["brand"]) >= 4.5
    assert measure_contrast("#ffffff", changed["navy"]) >= 4.5
    assert measure_contrast("#14213a", changed["bg"]) >= 4.5


def test_a_changed_file_is_in_use_without_a_restart_and_an_invalid_one_changes_nothing(
    open_apart: Callable[..., SiteClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("balcao.site.application.WATCH_SECONDS", 0.05)
    for name, file in prepare_site("Vila Serena", "0800 123", "", None).items():
        (tmp_path / name).write_bytes(file.content)
    site = open_apart(site_folder=tmp_path)
    before = site.open("/")
    assert before.title == "Vila Serena"
    (sheet,) = re.findall(r'"stylesheet" href="([^"]*)"', before.answer.text)
    text = (tmp_path / SITE_FILE).read_text("utf-8").replace('# brand = "#1351b4"', 'brand = "#0b6e4f"')
    write(tmp_path, text.replace("Vila Serena", "Vila Nova Serena"))
    until_now(lambda: site.open("/").title == "Vila Nova Serena")
    (changed,) = re.findall(r'"stylesheet" href="([^"]*)"', site.get("/").text)
    assert changed != sheet
    assert "--brand:#0b6e4f" in site.get(changed).text
    # Pages that browsers cached before the change still refer to the previous style sheet.
    assert site.get(sheet).status_code == 200
    write(tmp_path, "[city")
    (tmp_path / "marca.svg").write_text(SVG.format("<script/>"))
    assert site.open("/").title == "Vila Nova Serena"
    write(tmp_path, text.replace("Vila Serena", "Vila Nova"))
    (tmp_path / "marca.svg").write_text(SVG.format("<g/>"))
    until_now(lambda: site.open("/").title == "Vila Nova")


def test_the_command_writes_files_that_the_site_accepts(tmp_path: Path) -> None:
    crest = tmp_path / "brasao.png"
    crest.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (300).to_bytes(4, "big") + (400).to_bytes(4, "big"))
    for name, file in prepare_site('Vila "Serena"', "(21) 2222-0000", "#0b6e4f", crest).items():
        (tmp_path / name).write_bytes(file.content)
    city = read_city(tmp_path)
    assert (city.wording.city.name, city.wording.city.phone) == ('Vila "Serena"', "(21) 2222-0000")
    assert city.sheet == ":root{--brand:#0b6e4f}"
    assert b'viewBox="0 0 400 400"' in city.pictures["marca.svg"]
    assert city.wording.subject == read_city(None).wording.subject


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (("", "156", "", None), "--name"),
        (("Vila", "liga aí", "", None), "phone"),
        (("Vila", "156", "#ffff00", None), "contraste"),
        (("Vila", "156", "azul", None), "#1351b4"),
    ],
)
def test_the_command_refuses_answers_that_the_site_would_not_accept(
    answers: tuple[str, str, str, None], reason: str
) -> None:
    with pytest.raises(OperatorFault, match=reason):
        prepare_site(*answers)
