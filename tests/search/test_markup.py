"""Markdown texts: markup is rejected, and the texts are converted to plain text (rules: search 3.1)."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.search.services.markup import read_markdown, refuse_active, to_plaintext
from tests.support.proof_sizes import EXAMPLES


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        "< SCRIPT src=//x>",
        "<!-- --!><iframe>",
        "<object data=x>",
        "<embed/src=x>",
        "<style>",
        "<img src=x onerror=alert(1)>",
        "<img/onerror = alert(1) src=x>",
        '<a title="<" onclick="x">',
        "[x](javascript:alert(1))",
        "[x](< JaVa\nScript:alert(1)>)",
        "[x](javascript&#58;alert(1))",
        "[x](java&Tab;script:alert(1))",
        "[x](javascript\\:alert(1))",
        "[x]: data:text/html,<b>",
        "<javascript:alert(1)>",
        '<a href="data:text/html;base64,x">',
        "<a href=vbscript:x>",
        "&lt;script&gt;x",
    ],
)
def test_what_could_run_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="`resumo`") as refused:
        refuse_active("resumo", f"Antes {text} depois")
    assert refused.value.code == "resumo-active"


@pytest.mark.parametrize(
    "text",
    [
        "Data: 10/05, das 9h às 17h",
        "Atendimento on-line = imediato",
        "[site](https://portoaurora.example/script)",
        "valor < 10 e > 5",
        "<b>negrito</b> e <br/> quebra",
        "Estilo: <http://portoaurora.example/style>",
    ],
)
def test_ordinary_texts_pass(text: str) -> None:
    refuse_active("resumo", text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("# Título\n\nUm **texto** com [ligação](https://x.example).", "Título\nUm texto com ligação."),
        ("Digite `código`", "Digite código"),
        ("- um\n- dois", "um\ndois"),
        ("linha\nquebrada", "linha quebrada"),
        ("<p>Olá <b>você</b></p>", "Olá você"),
        ("R$ 5 &amp; taxas", "R$ 5 & taxas"),
        ("", ""),
    ],
)
def test_plain_text_keeps_the_words(text: str, plain: str) -> None:
    assert to_plaintext(text) == plain


@given(st.text(max_size=200))
def test_any_text_has_a_plain_form(text: str) -> None:
    assert isinstance(to_plaintext(text), str)


ORDINARY = [*"aZé1 .,;:()/\"'%?!$+ºª-–", "  ", "1. ", "- ", "--", "\u00a0", "º "]
MARKS = ["*", "_", "`", "#", ">", "[x](y)", "<b>", "&amp;", "\\", "~", "=", "|", "\n", "  \n", "\t", "://"]


@given(
    start=st.sampled_from(["a", "É", "1", " a", "-", "("]), rest=st.lists(st.sampled_from(ORDINARY + MARKS), max_size=4)
)
@settings(max_examples=5 * EXAMPLES)
@example(start="Corte de árvore, 2ª via ", rest=["(grátis)!  "])
@example(start="a", rest=["*", "b", "*"])
@example(start="a ", rest=["_", "b", "_"])
def test_an_ordinary_line_reads_as_the_parser_reads_it(start: str, rest: list[str]) -> None:
    text = start + "".join(rest)
    assert to_plaintext(text) == read_markdown(text)
