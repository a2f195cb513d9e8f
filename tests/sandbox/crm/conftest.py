"""The sandbox CRM over real HTTP, as in the tests of its client."""

from tests.crm.conftest import crm, rest, running_crm

__all__ = ["crm", "rest", "running_crm"]
