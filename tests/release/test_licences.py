"""The licence check: an unknown or incompatible licence stops a release."""

from email.message import Message
from importlib.metadata import PackageMetadata
from typing import cast

import pytest

from tools.release import page
from tools.release.licences import Refused, check_licence, read_licence

ACCEPTED = ["MIT", "Apache-2.0", "BSD-3-Clause"]
CLASSIFIER = "License :: OSI Approved :: "


def metadata(**headers: str) -> PackageMetadata:
    found = Message()
    for name, value in headers.items():
        for one in value.split("; "):
            found[name.replace("_", "-")] = one
    return cast(PackageMetadata, found)


@pytest.mark.parametrize(
    ("headers", "licence"),
    [
        ({"License_Expression": "MIT OR Apache-2.0", "License": "other"}, "MIT OR Apache-2.0"),
        ({"License": "mit"}, "MIT"),
        ({"License": "BSD-3-Clause", "Classifier": CLASSIFIER + "BSD License"}, "BSD-3-Clause"),
        ({"Classifier": CLASSIFIER + "Apache Software License"}, "Apache-2.0"),
        ({"Classifier": CLASSIFIER + "BSD License"}, None),
        ({"Classifier": f"{CLASSIFIER}MIT License; {CLASSIFIER}Apache Software License"}, None),
        ({"License": "see LICENSE"}, None),
        ({}, None),
    ],
)
def test_a_licence_is_what_the_package_says_where_it_says_one(headers: dict[str, str], licence: str | None) -> None:
    assert read_licence(metadata(**headers)) == licence


@pytest.mark.parametrize(
    "licence", ["MIT", "GPL-3.0-only OR MIT", "MIT AND Apache-2.0", "(MIT OR GPL-2.0-only) AND MIT"]
)
def test_a_licence_passes_that_leaves_a_way_within_the_accepted_ones(licence: str) -> None:
    assert check_licence("a", licence, ACCEPTED)


@pytest.mark.parametrize(
    ("licence", "why"),
    [
        (None, "desconhecida"),
        ("GPL-3.0-only", "não está entre as aceitas"),
        ("MIT AND GPL-3.0-only", "não está entre as aceitas"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "não está entre as aceitas"),
        ("MIT-ish", "não se entende"),
        ("MIT AND", "não se entende"),
    ],
)
def test_any_other_is_refused(licence: str | None, why: str) -> None:
    with pytest.raises(Refused, match=why):
        check_licence("a", licence, ACCEPTED)


def test_the_page_lists_what_is_installed_and_nothing_has_another_licence() -> None:
    """The licence page equals the output of `make docs`."""
    assert page.PAGE.read_text("utf-8") == page.write()
