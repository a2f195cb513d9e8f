"""Operação: the state of all parts, jobs that failed for good, the CRM and its reconciliation."""

from balcao.panel.operation.pages import AREA

__all__ = ["AREA"]
