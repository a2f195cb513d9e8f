"""Checks webhook bodies against the service's OpenAPI description."""

from typing import Any

from openapi_schema_validator import OAS31Validator

from balcao.core.http.openapi import describe_api
from balcao.core.service import Service


def check_described(service: Service, body: Any) -> None:
    """Check that the description declares a webhook of this type and that the body matches its schema."""
    document = describe_api(service)
    call = document["x-webhooks"][body["type"]]["post"]
    schema = call["requestBody"]["content"]["application/json"]["schema"]
    OAS31Validator({**schema, "components": document["components"]}).validate(body)
