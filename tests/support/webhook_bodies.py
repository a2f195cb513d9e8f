"""A check of webhook bodies against the description of the service."""

from typing import Any

from openapi_schema_validator import OAS31Validator

from balcao.core.http.openapi import describe_api
from balcao.core.service import Service


def check_described(service: Service, body: Any) -> None:
    """Fail unless the description has a webhook of this type and the body fits its schema."""
    document = describe_api(service)
    call = document["x-webhooks"][body["type"]]["post"]
    schema = call["requestBody"]["content"]["application/json"]["schema"]
    OAS31Validator({**schema, "components": document["components"]}).validate(body)
