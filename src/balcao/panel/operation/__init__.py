"""The area “Operação”: the platform's state, dead-lettered jobs, the CRM, rate limits and maintenance."""

from balcao.panel.operation.pages import AREA

__all__ = ["AREA"]
