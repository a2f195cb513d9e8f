"""The routing tree finds the same template as a linear search: from the left, literals win over parameters."""

import sys
from types import FrameType

from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.http.routing import Paths, parameters_of
from tests.support.proof_sizes import EXAMPLES

SEGMENTS = st.sampled_from(["a", "b", "{x}", "{y}"])
TEMPLATES = st.lists(st.lists(SEGMENTS, min_size=1, max_size=4).map(tuple), min_size=1, max_size=12)
SENT = st.lists(st.sampled_from(["a", "b", "c", "a%62"]), min_size=1, max_size=4)


def is_parameter(segment: str) -> bool:
    return segment.startswith("{")


def find_slowly(templates: list[tuple[str, ...]], sent: list[str]) -> tuple[int, ...] | None:
    """Return the winning template as a tuple in which parameters are marked."""
    fitting = [
        tuple(map(is_parameter, template))
        for template in templates
        if len(template) == len(sent)
        and all(is_parameter(segment) or segment == word for segment, word in zip(template, sent, strict=True))
    ]
    return min(fitting, default=None)


@settings(max_examples=EXAMPLES)
@given(TEMPLATES, SENT, st.booleans())
def test_a_path_belongs_to_the_template_with_the_most_words_on_the_left(
    templates: list[tuple[str, ...]], sent: list[str], ends_with_slash: bool
) -> None:
    paths: Paths[tuple[bool, ...]] = Paths()
    for template in templates:
        paths.add("GET", "/" + "/".join(template), tuple(map(is_parameter, template)))
    found = paths.find(f"/{'/'.join(sent)}{'/' if ends_with_slash else ''}".encode())
    read = [segment.replace("%62", "b") for segment in sent]
    expected = find_slowly(templates, read)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        values = [word for word, is_value in zip(read, expected, strict=True) if is_value]
        assert (found.by_method["GET"], list(found.values)) == (expected, values)


def test_a_path_of_many_segments_is_decoded_in_few_calls() -> None:
    paths: Paths[int] = Paths()
    paths.add("GET", "/a/{x}", 1)
    calls = 0

    def count(_frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        assert paths.find(b"/%41" * 16_000) is None
    finally:
        sys.setprofile(None)
    assert calls < 100


@given(TEMPLATES)
def test_the_parameters_of_a_template_are_told_in_their_order(templates: list[tuple[str, ...]]) -> None:
    for template in templates:
        names = [segment.strip("{}") for segment in template if is_parameter(segment)]
        assert parameters_of("/" + "/".join(template)) == names
