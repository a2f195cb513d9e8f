"""HTML and links in the texts of services are rejected on writes and removed from responses (rules: search 3.1)."""

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.search.document import Button
from balcao.search.sanitising import LONGEST_CLEANED, clean_body, find_lost
from balcao.search.services.cleaning import clean_buttons
from balcao.search.services.markup import refuse_active
from tests.support.proof_sizes import EXAMPLES

LOST = {
    '<meta http-equiv=refresh content="0;url=https://x.example">': "<meta>",
    '<base href="https://x.example/">': "<base>",
    '<form action="https://x.example"><input name=cpf></form>': "<form>",
    "<link rel=stylesheet href=https://x.example/a.css>": "<link>",
    '<p style="position:fixed">x</p>': "<p style>",
    "<div class='modal'>x</div>": "<div class>",
    "<svg><a xlink:href=x>": "<svg>",
    '<a href="//x.example">x</a>': "<a href>",
    '<a href="https://cidade.example@x.example/">x</a>': "<a href>",
    '<a href="https://cidade.example&commat;x.example/">x</a>': "<a href>",
    "<a href=ftp://x.example>x</a>": "<a href>",
    '<a href="https://x.example/?': "<a href>",
    "<!-- nota -->": "<!>",
    "<x-y>": "<x-y>",
    "<?php x ?>": "<?>",
    "[x](https://cidade.example@x.example/)": "link",
    "[x](//x.example/)": "link",
    "[x](ftp://x.example)": "link",
    "[x]\n\n[x]: https://cidade.example@x.example": "link",
    "[x](https://x.example/'a)": "link",
    "Entre em https://cidade.example@x.example/": "link",
}
# On writes, the check for active markup rejects these.
ACTIVE = [
    '<a title="<b onclick=1>"href="/x">x</a>',
    "<http://x.example/onclick=alert(1)//>",
    "[x](java&Tab;script:alert(1))",
    "[x]: javascript:a[0]",
    "[x](\\njavascript:alert(1))",
]
KEPT = [
    "Data: 10/05, das 9h às 17h, valor < 10 e > 5, [x] e (y)",
    "<b>negrito</b>, <br/>, <hr>, <P>maiúsculo</P>",
    '<a href="https://x.example/a?b=c&amp;d=e#f" title="Ir" hreflang=pt>x</a>',
    "<a href='/carta/poda'>x</a> <img src=\"https://x.example/a.png\" alt='Foto' width=20>",
    "<table><tr><th scope=col>a</th><td colspan=2>b</td></tr></table>",
    "Veja <https://x.example/a/b?c=d&e=/f#g>, <mailto:a@x.example> e <a.b@x.example>",
    '[x](https://x.example/Rio_(cidade)) [y](<https://x.example> "Carta") [z](tel:1746) [w]() [1](2)',
    "[x]\n\n[x]: https://x.example/a 'título'\n[Obs]: Atenção: leve o documento\n[Hora]: 9:30",
    "> citação\n> com <em>ênfase</em>",
]


@pytest.mark.parametrize(("text", "lost"), LOST.items())
def test_a_text_that_would_lose_something_is_refused_by_its_name(text: str, lost: str) -> None:
    with pytest.raises(Invalid) as refused:
        refuse_active("resumo", f"Antes {text}")
    assert refused.value.code == "resumo-markup"
    assert "link" in str(refused.value) if lost == "link" else f"`{lost}`" in str(refused.value)


@pytest.mark.parametrize("text", KEPT)
def test_a_text_that_loses_nothing_is_written_and_served_as_it_is(text: str) -> None:
    refuse_active("resumo", text)
    body = json.dumps({"resumo": text}, ensure_ascii=False).encode()
    assert clean_body(body) == body


@pytest.mark.parametrize("text", [*LOST, *ACTIVE])
def test_a_stored_text_is_served_without_what_would_be_refused(text: str) -> None:
    body = json.dumps({"a": [{"resumo": f"Pão & Água {text}"}], "fixo": 1}).encode()
    cleaned = json.loads(clean_body(body))
    assert find_lost(cleaned["a"][0]["resumo"]) is None
    assert cleaned["a"][0]["resumo"].startswith("Pão &")
    assert cleaned["fixo"] == 1


def test_only_what_is_lost_leaves_a_stored_text() -> None:
    text = '> nota\n\n<b>Leve</b> <form action="https://x.example">o <i class=x>RG</i></form> e [veja](/carta)'
    (cleaned,) = json.loads(clean_body(json.dumps([text]).encode()))
    assert cleaned == "> nota\n\n<b>Leve</b> o <i>RG</i> e [veja](/carta)"


def test_a_link_with_a_user_shows_its_real_host_and_one_to_a_script_is_text() -> None:
    text = "[a](https://cidade.example@x.example/b) [c](javascript:x) [d](/e) <b>f</b>"
    (cleaned,) = json.loads(clean_body(json.dumps([text]).encode()))
    assert cleaned == "[a](https://x.example/b) [c&#93;(javascript:x) [d](/e) <b>f</b>"


def test_the_names_of_free_members_are_cleaned_too() -> None:
    assert json.loads(clean_body(b'{"<script>x</script>a": 1}')) == {"a": 1}


@pytest.mark.parametrize(
    "address",
    [
        "https://cidade.example@x.example/",
        "https://:senha@x.example/",
        'https://x.example/"onclick="x',
        "https://x.example/'x",
        "https://x.example/`x",
        "https://x.example\\@y.example/",
        'mailto:a@x.example"x',
        "tel:",
        "javascript:alert(1)",
        "//x.example/",
        "/carta",
    ],
)
def test_an_unsafe_button_is_refused_and_a_stored_one_switched_off(address: str) -> None:
    with pytest.raises(Invalid):
        clean_buttons("buttons", [Button("Pedir", address)])
    body = json.dumps([{"titulo": "Pedir", "url_service": address, "is_enabled": True}]).encode()
    assert json.loads(clean_body(body)) == [{"titulo": "Pedir", "url_service": "", "is_enabled": False}]


def test_an_ordinary_button_stays() -> None:
    for address in ("https://x.example:8443/a?b[]=1&c=d#e", "http://x.example", "mailto:a@x.example", "tel:+552121"):
        assert clean_buttons("buttons", [Button("Pedir", address)])[0].url_service == address
        body = json.dumps([{"url_service": address}]).encode()
        assert clean_body(body) == body


def test_a_text_with_very_many_tags_is_served_as_words_without_the_sanitiser() -> None:
    """The sanitiser needs quadratic time for nested elements, so long texts would block the event loop."""
    for text in ("<div x>" * 5_000, "<form>" + "x" * LONGEST_CLEANED):
        (cleaned,) = json.loads(clean_body(json.dumps([text]).encode()))
        assert cleaned == text.replace("<", "&lt;")


PIECES = [
    *(
        "<a ",
        "<b>",
        "</b>",
        "<b ",
        "<form>",
        "<!--",
        "-->",
        "<script>",
        "<?",
        ">",
        "<",
        "/>",
        '"',
        "'",
        "`",
        "=",
        " ",
        "\n",
    ),
    *("href=", "title=", "onclick=1", 'href="/x"', "javascript:", "https://x.example", "//", "@", "&lt;", "&colon;"),
    *("](", "]:", "[x]", ")", "\\", "a", "é", "> "),
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=5 * EXAMPLES)
@example(']:)"')
@example("<a title=]:<b>")
def test_whatever_is_stored_what_is_served_would_be_accepted_again(text: str) -> None:
    body = json.dumps({"resumo": text}).encode()
    served = json.loads(clean_body(body))["resumo"]
    assert find_lost(served) is None
    assert served == text or find_lost(text) is not None
    for tag in re.findall(r"<[a-zA-Z/!?][^>]*>?", served):
        # A value such as `]:x` looks like a link only at the end of a line, where the tag was cut off.
        assert find_lost(tag) in {None, "link"}
