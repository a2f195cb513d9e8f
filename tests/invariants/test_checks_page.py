"""docs/reference/checks.md lists everything that `balcao doctor` checks."""

from balcao.operate.doctor.diagnosis import CHECKS
from tools.doctor_checks import PAGE, write_page


def test_the_page_is_what_the_checks_say() -> None:
    assert PAGE.read_text("utf-8") == write_page()


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)


def test_a_check_says_what_to_do_in_a_cell_of_a_table() -> None:
    cells = [cell for check in CHECKS for cell in (check.looks_at, check.wrong, check.remedy)]
    assert [cell for cell in cells if not cell or "|" in cell or "\n" in cell] == []
