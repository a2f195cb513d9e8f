"""The command line's help shows the right names and limits although it does not load the services."""

from balcao import app
from balcao.access.audit.schemas import MAX_SEQ
from balcao.access.documents.schemas import Format
from balcao.cli.access import DocumentFormat
from balcao.cli.jobs import MOST_PER_PAGE
from balcao.cli.registry import BREAKS
from balcao.core.http import paging
from balcao.core.live import maintenance
from balcao.operate import names
from balcao.registry.consent.ledger.chain import Break


def test_the_services_are_those_of_a_process() -> None:
    assert names.SERVICES == app.NAMES


def test_the_services_that_can_be_exported_are_those_that_declare_an_export() -> None:
    assert tuple(service.name for service in app.SERVICES if service.exports) == names.EXPORTED_SERVICES


def test_the_kinds_of_lines_are_those_that_the_services_import() -> None:
    assert {service.name: tuple(service.imports) for service in app.SERVICES if service.imports} == names.IMPORT_KINDS


def test_bounds_and_defaults_are_those_of_the_use_cases() -> None:
    assert names.LAST_AUDIT_NUMBER == MAX_SEQ
    assert names.MAINTENANCE_MESSAGE == maintenance.DEFAULT_MESSAGE
    assert MOST_PER_PAGE == paging.MOST_PER_PAGE


def test_words_of_a_service_are_all_known() -> None:
    assert [*DocumentFormat] == [*Format]
    assert set(BREAKS) == {*Break}
