"""Tests for merging two people's changes to one job."""

from typing import Any

from balcao.panel.jobs.job_values import decode_digests, describe_value, encode_digests, join_changes

OPENED: dict[str, Any] = {"titulo": "Padeiro", "bairro": "Centro", "requisitos": "a\nb", "zonas": []}


def join(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    return join_changes(decode_digests(encode_digests(OPENED)), OPENED | mine, OPENED | theirs)


def test_what_only_one_side_changed_is_that_sides() -> None:
    joined, disputed = join({"titulo": "Padeira"}, {"bairro": "Farol", "zonas": ["x"]})
    assert (joined, disputed) == (OPENED | {"titulo": "Padeira", "bairro": "Farol", "zonas": ["x"]}, [])


def test_what_both_changed_is_asked_and_nothing_typed_is_lost() -> None:
    joined, disputed = join({"titulo": "Padeira"}, {"titulo": "Confeiteira"})
    assert (joined["titulo"], disputed) == ("Padeira", ["titulo"])
    assert join({"titulo": "Padeira"}, {"titulo": "Padeira"})[1] == []


def test_what_a_browser_does_to_a_text_is_no_change() -> None:
    joined, disputed = join({"requisitos": "a\r\nb \r\n"}, {"requisitos": "a\nb\nc"})
    assert (joined["requisitos"], disputed) == ("a\nb\nc", [])


def test_a_form_without_digests_asks_about_every_difference() -> None:
    assert join_changes(decode_digests("no json"), OPENED, OPENED | {"bairro": "Farol"})[1] == ["bairro"]


def test_a_value_is_told_in_words() -> None:
    assert describe_value("x", [("x", "CLT")]) == "CLT"
    assert describe_value([{"titulo": "Triagem"}, {"titulo": "Entrevista"}]) == "Triagem; Entrevista"
    assert describe_value(None) == describe_value([]) == "nada"
