"""Requests to the city: their types, requests without a login, and following a request by its number and code."""

from balcao.site.requests.pages import AREA

__all__ = ["AREA"]
