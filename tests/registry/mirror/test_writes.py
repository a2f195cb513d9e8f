"""The writes that an event causes. They depend only on the event's data (rules: registry 4.2)."""

from typing import Any

import pytest

from balcao.registry.mirror.writes import Consent, Writes, parse_delta


@pytest.mark.parametrize(
    ("entry", "consent"),
    [
        ({"status": "IN"}, Consent("", "", "IN")),
        ({"status": "out"}, Consent("", "", "OUT")),
        ({"acao": "optin"}, Consent("", "", "IN", "optin")),
        ({"acao": "OptOut"}, Consent("", "", "OUT", "optout")),
        ({"status": "IN", "acao": "OPTOUT"}, Consent("", "", "IN", "optout")),
        ({"status": "", "acao": "optin", "canal": None}, Consent("", "", "IN", "optin")),
        (
            {"categoria": "saude", "canal": "sms", "status": "IN", "data": "1", "finalidade": "2", "motivo": "3"},
            Consent("saude", "sms", "IN", None, "1", "2", "3"),
        ),
    ],
)
def test_a_consent_says_in_or_out_in_either_of_its_words(entry: dict[str, Any], consent: Consent) -> None:
    assert parse_delta({"consentimento": [entry]}) == Writes(consents=[consent])


def test_of_consents_of_one_category_and_channel_the_last_counts() -> None:
    entries = [
        {"categoria": category, "canal": channel, "status": status}
        for category, channel, status in (("a", "sms", "IN"), ("b", "sms", "IN"), ("a", "sms", "OUT"), ("a", "", "IN"))
    ]
    found = parse_delta({"consentimento": entries}).consents
    assert {(one.categoria, one.canal): one.status for one in found} == {
        ("a", "sms"): "OUT",
        ("b", "sms"): "IN",
        ("a", ""): "IN",
    }
    assert len(found) == 3


@pytest.mark.parametrize(("sent", "clears"), [(None, True), ("", True), ([], False)])
def test_no_consents_clear_those_that_are_stored_and_an_empty_list_leaves_them(sent: Any, *, clears: bool) -> None:
    writes = parse_delta({"consentimento": sent})
    assert (writes.clears_consents, list(writes.consents), bool(writes)) == (clears, [], clears)
    assert not parse_delta({})
