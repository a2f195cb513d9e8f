"""The sandbox CRM over real HTTP, as the tests of its client have it."""

from tests.crm.conftest import crm, rest, running_crm

__all__ = ["crm", "rest", "running_crm"]
