"""Fixtures for the sandbox CRM over real HTTP."""

from tests.crm.conftest import crm, rest, running_crm

__all__ = ["crm", "rest", "running_crm"]
