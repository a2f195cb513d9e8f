"""The rights of a person over their data, as far as the job listings hold them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from balcao.core.audit.personal_data import PersonalData, list_members
from balcao.core.feature import Feature
from balcao.core.http.operations import Operation
from balcao.core.http.responses import Response
from balcao.employability.rights import api
from balcao.employability.rights.schemas import make_export_type


def make_feature(declarations: Iterable[PersonalData]) -> Feature:
    """Declare the rights over what these features store: the export is described by their declarations."""
    export: Any = make_export_type(list_members(declarations))

    def describe(operation: Operation) -> Operation:
        if operation.key != api.EXPORT_KEY:
            return operation
        return replace(operation, signature=replace(operation.signature, returns=Response[export]))

    return Feature(routes=[describe(operation) for operation in api.routes.declared])
