"""The rights of a person over their data, and the audit trail."""

from collections.abc import Iterable

from balcao.core.audit.personal_data import PersonalData, list_members
from balcao.core.feature import Feature
from balcao.registry.rights import api
from balcao.registry.rights.schemas import make_export_type


def make_feature(declarations: Iterable[PersonalData]) -> Feature:
    """Declare the rights over what these features store: the export is described by their declarations."""
    export = make_export_type(list_members(declarations))
    return Feature(routes=[one.returning(export) if one.key == api.EXPORT_KEY else one for one in api.routes.declared])
