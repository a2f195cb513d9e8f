"""Parses the parameters of queries and forms, and limits their number, repetition and size."""

from collections.abc import Mapping

from balcao.identity.oauth import parse_form, parse_parameters
from balcao_sandbox.identity.realm import RealmRequest


def read_query(request: RealmRequest) -> Mapping[str, str]:
    """Return the parameters of the query. Raises InvalidRequest if a parameter is malformed or repeated."""
    return parse_parameters(request.query_string)


def read_form(request: RealmRequest) -> Mapping[str, str]:
    """Return the fields of a form.

    Raises InvalidRequest if the body is not a valid form, and TooLarge if it is too long.
    """
    return parse_form(request.header("content-type"), request.content)


def read_parameters(request: RealmRequest) -> Mapping[str, str]:
    """Return the parameters in the query of a GET or in the form of a POST (OpenID Connect Core 3.1.2.1)."""
    return read_form(request) if request.method == "POST" else read_query(request)
