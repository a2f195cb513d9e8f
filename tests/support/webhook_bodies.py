"""Checks webhook bodies against the service's OpenAPI description."""

from typing import Any

from balcao.core.service import Service
from tests.support.descriptions import read_description


def check_described(service: Service, body: Any) -> None:
    """Check that the description declares a webhook of this type and that the body matches its schema."""
    from openapi_schema_validator import OAS31Validator  # imported here, because that takes two seconds

    document = read_description(service)
    call = document["x-webhooks"][body["type"]]["post"]
    schema = call["requestBody"]["content"]["application/json"]["schema"]
    OAS31Validator({**schema, "components": document["components"]}).validate(body)
