"""The area “Pedidos”: the queue of citizens' requests, and their types."""

from balcao.panel.requests.pages import AREA

__all__ = ["AREA"]
