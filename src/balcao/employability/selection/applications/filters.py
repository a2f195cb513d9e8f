"""The filters of a person's applications (rules: employability 2.7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.errors import Invalid
from balcao.employability.hiring.listings.schemas import ID_EXAMPLE
from balcao.employability.lists import PageNumber, parse_uuid
from balcao.employability.selection.applications.states import SHOWN, ApplicationStatus

DEFAULT_PER_PAGE, MOST_PER_PAGE = 10, 100


@dataclass(frozen=True, slots=True)
class OwnFilters:
    """What to list; a filter that was not given is None."""

    job: UUID | None = None
    status: ApplicationStatus | None = None
    step: UUID | None = None


def parse_own_filters(query: Mapping[str, str]) -> OwnFilters:
    """Read the filters. Raises Invalid naming the parameter."""
    return OwnFilters(parse_uuid(query, "vagaId"), parse_status(query), parse_uuid(query, "etapa_id"))


def parse_status(query: Mapping[str, str]) -> ApplicationStatus | None:
    """Return the status, as shown, that the applications are to have. Raises Invalid."""
    text = query.get("status", "").strip()
    if text and text not in SHOWN:
        raise Invalid(f"O parâmetro `status` aceita {', '.join(SHOWN)}.", code="status-invalid")
    return ApplicationStatus(text) if text else None


class OwnApplicationQuery(msgspec.Struct, kw_only=True):
    vagaId: Annotated[  # noqa: N815 - the specification's word
        str | None, Meta(description="Só as desta vaga (UUID).", examples=[ID_EXAMPLE])
    ] = None
    status: Annotated[
        str | None, Meta(description="Só as que aparecem nesta situação.", examples=["candidatura_enviada"])
    ] = None
    etapa_id: Annotated[str | None, Meta(description="Só as que estão nesta etapa (UUID).", examples=[ID_EXAMPLE])] = (
        None
    )
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - the specification's word
        int, Meta(description="Itens por página; acima de 100 vale 100.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE
