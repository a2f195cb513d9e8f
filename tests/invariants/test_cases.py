"""Each case of the rules is shown by the tests that its row names, and they say so."""

import pytest

from tests.support.rules import find_marked, read_cases

PAGES = ["access", "agents", "employability", "health_units", "registry", "search"]


@pytest.mark.parametrize("page", PAGES)
def test_the_tests_that_a_row_names_are_those_that_show_it(page: str) -> None:
    """The text of the row and the body of the test are held against each other by who changes one of them."""
    marked = {case: tests for (of, case), tests in find_marked().items() if of == page}
    assert read_cases(page) == marked


def test_no_case_is_of_another_page() -> None:
    assert {page for page, _ in find_marked()} == set(PAGES)
