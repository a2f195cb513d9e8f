"""A citizen continues a request after staff have changed the kinds of its questions."""

from typing import Any

import pytest

from balcao.site.mine.declaration import PREFIX
from tests.site.mine.conftest import Enter
from tests.site.mine.test_requests import LAMP, fill, send_file
from tests.support.issuer import bearer
from tests.support.sample_files import photo
from tests.support.sandbox import Sandbox

TYPES = "/registry/v1/admin/request-types"
OPTIONS = [{"id": "a", "label": "Primeira"}, {"id": "b", "label": "Segunda"}, {"id": "c", "label": "Terceira"}]
KINDS: dict[str, dict[str, Any]] = {
    "text": {},
    "choice": {"options": OPTIONS},
    "number": {},
    "date": {},
    "place": {},
    "file": {"max_files": 5},
}
# For each kind, an answer as the citizen types it. A file is sent instead.
TYPED = {
    "text": {"r-resposta": "Os prédios"},
    "choice": {"r-resposta": "b"},
    "number": {"r-resposta": "7"},
    "date": {"r-resposta": "2026-11-28"},
    "place": {"r-resposta-address": "Rua do Cais, 80"},
}


def store_type(sandbox: Sandbox, id_: str, kind: str) -> None:
    """Create a request type with one question of this kind, or change the kind of its question."""
    headers = bearer(sandbox.tokens.person("90000040126"))
    sample = sandbox.http.get(f"{TYPES}/lampada_apagada", headers=headers).json()
    question = {"id": "resposta", "kind": kind, "label": "O que é?", "required": True, **KINDS[kind]}
    body = {name: value for name, value in sample.items() if name not in ("id", "version", "updated_at")}
    body |= {"name": f"Pedido {id_}", "fields": [question], "without_login": False}
    if sandbox.http.get(f"{TYPES}/{id_}", headers=headers).status_code == 404:
        answer = sandbox.http.post(TYPES, json=body | {"id": id_}, headers=headers)
    else:
        answer = sandbox.http.put(f"{TYPES}/{id_}", json=body, headers=headers)
    assert answer.is_success, answer.text


@pytest.mark.parametrize("before", list(KINDS))
def test_an_answer_that_no_longer_fits_its_question_is_asked_again(enter: Enter, sandbox: Sandbox, before: str) -> None:
    gabi, id_ = enter("gabriela"), f"mudado_{before}"
    base = f"{PREFIX}/pedir/{id_}"
    for after in KINDS:
        if after == before or (after == "text" and before in ("choice", "date")):  # their answers are texts
            continue
        store_type(sandbox, id_, before)
        if before == "file":
            send_file(gabi, f"{base}/arquivos/1", photo())
        else:
            fill(gabi, f"{base}/pergunta/1", TYPED[before])
        assert gabi.page.heading == "Confira antes de enviar", (before, after)
        store_type(sandbox, id_, after)
        question = f"{base}/{'arquivos' if after == 'file' else 'pergunta'}/1"
        assert gabi.get(question).status_code == 200, (before, after)
        assert gabi.get(f"{base}/conferir").status_code == 200, (before, after)
        assert gabi.page.heading == "O que é?", (before, after)
        assert "Falta esta resposta." in gabi.page.text


def test_a_request_that_was_begun_can_be_discarded(enter: Enter) -> None:
    davi, shown = enter("davi"), "Continue de onde parou: Lâmpada apagada"
    fill(davi, f"{LAMP}/pergunta/1", {"r-problema": "apagada"}, depois="1")
    assert shown in davi.page.text
    (form,) = [form for form in davi.page.forms if form.action.endswith("/descartar")]
    for _ in range(2):  # the button is pressed twice
        davi.post(form.action, form.values)
        assert davi.page.heading.startswith("Olá")
        assert "O que você tinha escrito foi apagado." in davi.page.text
        assert shown not in davi.page.text
    davi.get(f"{PREFIX}/pedir/lampada_apagada")
    assert f"{LAMP}/conferir" not in davi.page.links


def test_a_choice_that_is_no_longer_offered_is_asked_again(
    enter: Enter, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    gabi, base = enter("gabriela"), f"{PREFIX}/pedir/opcao_retirada"
    store_type(sandbox, "opcao_retirada", "choice")
    fill(gabi, f"{base}/pergunta/1", TYPED["choice"])
    monkeypatch.setitem(KINDS, "choice", {"options": OPTIONS[::2]})
    store_type(sandbox, "opcao_retirada", "choice")
    gabi.get(f"{base}/conferir")
    assert gabi.page.heading == "O que é?"
