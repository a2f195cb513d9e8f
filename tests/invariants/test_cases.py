"""Each case of the rules names its tests, and each of these tests has the mark of the case."""

import pytest

from tests.support.rules import find_marked, read_cases

PAGES = ["access", "agents", "employability", "health_units", "registry", "search"]


@pytest.mark.parametrize("page", PAGES)
def test_the_tests_that_a_row_names_are_those_that_show_it(page: str) -> None:
    """Compare only the names. Whether a test shows what the row describes is for the author of a change to check."""
    marked = {case: tests for (of, case), tests in find_marked().items() if of == page}
    assert read_cases(page) == marked


def test_no_case_is_of_another_page() -> None:
    assert {page for page, _ in find_marked()} == set(PAGES)
