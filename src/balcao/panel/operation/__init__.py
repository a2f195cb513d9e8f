"""Operação: the state of all parts, dead-lettered jobs, the CRM and its reconciliation, limits and maintenance."""

from balcao.panel.operation.pages import AREA

__all__ = ["AREA"]
