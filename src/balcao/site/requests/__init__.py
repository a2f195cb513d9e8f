"""Requests to the city: their types, requests without login, and the state of a request by number and code."""

from balcao.site.requests.pages import AREA

__all__ = ["AREA"]
