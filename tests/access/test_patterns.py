"""Path patterns are compared with a simple reference implementation on all short paths (rules: access 3.5)."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.access.mappings import patterns
from balcao.core.access.paths import Entry, PatternTree, split_path
from tests.support.rules import read_values

WORDS = ("a", "b", "c")
PATHS = [list(path) for length in range(1, 5) for path in itertools.product(WORDS, repeat=length)]

made = st.builds(
    lambda segments, rest: "/" + "/".join([*segments, *(["**"] if rest else [])]),
    st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=3),
    st.booleans(),
)


def language(pattern: str) -> set[str]:
    """Return the short paths that the pattern matches. A regular expression matches them, not the code under test."""
    text = re.escape(pattern).replace(r"/\*\*", "(/[^/]+)*").replace(r"\*", "[^/]+")
    return {"/" + "/".join(path) for path in PATHS if re.fullmatch(text, "/" + "/".join(path))}


@pytest.mark.cases("access", "28")
@given(pattern=made)
def test_matching_is_anchored_at_both_ends(pattern: str) -> None:
    tree = PatternTree([Entry("GET", pattern, 1)])
    found = {"/" + "/".join(path) for path in PATHS if tree.find("GET", path) == 1}
    assert found == language(pattern)


@given(one=made, other=made)
def test_patterns_cross_when_each_has_paths_of_its_own_and_some_in_common(one: str, other: str) -> None:
    first, second = language(one), language(other)
    assert patterns.patterns_cross(one, other) == bool(first & second and first - second and second - first)


@given(one=made, other=made)
def test_a_pattern_inside_another_decides_on_its_paths(one: str, other: str) -> None:
    tree = PatternTree([Entry("GET", one, 1), Entry("GET", other, 2)])
    if language(one) < language(other):
        assert {tree.find("GET", path.split("/")[1:]) for path in language(one)} == {1}


@pytest.mark.cases("access", "27")
@pytest.mark.parametrize("odd", [*read_values("access", "27"), "/" + "a/" * 32 + "a"])
def test_what_the_grammar_does_not_have_is_refused(odd: str) -> None:
    with pytest.raises(ValueError, match=r"deve|só"):
        patterns.check_pattern(odd)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("^/iptu/v1/guias$", "/iptu/v1/guias"),
        ("/iptu/v1/guias/([^/]+)$", "/iptu/v1/guias/*"),
        ("/iptu/[^/]+/guias/(?:[^/]+)", "/iptu/*/guias/*"),
        ("/iptu/.*$", "/iptu/**"),
        ("^/iptu/(.*)", "/iptu/**"),
    ],
)
def test_the_regular_expression_of_a_path_is_read_as_what_it_means(written: str, read: str) -> None:
    pattern = patterns.check_pattern(written)
    assert pattern == read
    path = split_path(pattern.replace("**", "x/y").replace("*", "7"))
    assert path is not None
    assert PatternTree([Entry("GET", pattern, 1)]).find("GET", path) == 1
    assert re.fullmatch(written, "/" + "/".join(path))


@pytest.mark.parametrize(
    "written", [r"/a/\\d+", "/a/([0-9]+)$", "/a/v([^/]+)", "/a/?$", "/a|b", "/a/.*/b", "/a/$", "$"]
)
def test_any_other_regular_expression_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"deve|só"):
        patterns.check_pattern(written)


@pytest.mark.parametrize("good", ["/a", "/a/{id}/*", "/**", "/a/b%20c/**", "/v1/$x,y;z=@:!/~_-."])
def test_what_the_grammar_has_is_taken(good: str) -> None:
    assert patterns.check_pattern(good) == good


@pytest.mark.cases("access", "30")
@pytest.mark.parametrize(("path", "segments"), read_values("access", "30"))
def test_a_path_is_read_in_one_way_or_not_at_all(path: str, segments: list[str] | None) -> None:
    assert split_path(path) == segments
