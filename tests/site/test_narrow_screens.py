"""On the screen of a telephone, no text of a public page is cut, and the words of the menu do not touch each other."""

from collections.abc import Callable

import pytest

from tests.site.test_pages import PAGES
from tests.support.panel_browser import Screen

pytestmark = pytest.mark.page

SHOWN = [*PAGES, "/vagas", "/saude/unidades", "/saude/cores", "/ajuda"]
NARROWEST_GAP = 9  # pixels between two words of the menu

# A placeholder that does not fit its field. Its font differs from the font of the field.
CUT = """() => [...document.querySelectorAll("input[placeholder]")].filter(field => {
    const style = getComputedStyle(field), canvas = document.createElement("canvas").getContext("2d")
    canvas.font = `${getComputedStyle(field, "::placeholder").fontSize} ${style.fontFamily}`
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    return canvas.measureText(field.placeholder).width > room
}).map(field => field.placeholder)"""
# The distances between neighbouring words of the menu that are in the same row.
DISTANCES = """() => {
    const boxes = [...document.querySelectorAll("#menu a")].map(link => {
        const range = document.createRange()
        range.selectNodeContents(link)
        return range.getBoundingClientRect()
    })
    return boxes.slice(1).map((box, at) => box.left - boxes[at].right).filter(distance => distance > 0)
}"""
# The selected texts that do not fit their lists.
SELECTED = """() => [...document.querySelectorAll("select")].filter(field => {
    const style = getComputedStyle(field), canvas = document.createElement("canvas").getContext("2d")
    canvas.font = `${style.fontSize} ${style.fontFamily}`
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16
    return field.checkVisibility() && canvas.measureText(field.selectedOptions[0].text).width > room
}).map(field => field.selectedOptions[0].text)"""
# The words that continue on the next line.
BROKEN = r"""() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange(), found = []
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (!text.parentElement.checkVisibility() || text.parentElement.closest("select, .vh")) continue
        for (const word of text.data.matchAll(/\p{L}+/gu)) {
            range.setStart(text, word.index)
            range.setEnd(text, word.index + word[0].length)
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.push(word[0])
        }
    }
    return found
}"""
ROWS = """() => new Set([...document.querySelectorAll(".marca, .eu")].map(
    one => { const box = one.getBoundingClientRect(); return Math.round((box.top + box.bottom) / 2) })).size"""


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 360])
def test_texts_fit_and_menu_words_keep_their_distance(screen_of: Callable[..., Screen], width: int) -> None:
    screen = screen_of(width)
    for path in SHOWN:
        screen.open(path)
        screen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert screen.page.evaluate(CUT) == [], path
        assert screen.page.evaluate(SELECTED) == [], path
        assert screen.page.evaluate(BROKEN) == [], path
        assert min(screen.page.evaluate(DISTANCES)) >= NARROWEST_GAP, path


@pytest.mark.long
def test_the_header_of_a_telephone_has_the_name_and_the_login_in_one_row(screen_of: Callable[..., Screen]) -> None:
    screen = screen_of(360)
    for path in SHOWN:
        screen.open(path)
        assert screen.page.evaluate(ROWS) == 1, path
