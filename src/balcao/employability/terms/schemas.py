"""Wire types for the terms of use."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.schemas import CreatedAt, UpdatedAt


class TermsStatus(msgspec.Struct):
    """The acceptance status of the current terms.

    Do not add another boolean: the citizen portal treats any true member as acceptance.
    """

    has_accepted: Annotated[bool, Meta(description="Se a pessoa aceitou a versão atual dos termos.", examples=[True])]


class ExportedAcceptance(msgspec.Struct):
    """A person's latest acceptance, as the person's export contains it."""

    versao: Annotated[str, Meta(description="A versão dos termos que a pessoa aceitou.", examples=["1"])]
    aceito_em: Annotated[datetime, Meta(description="Quando aceitou.", examples=["2026-10-05T14:30:00+00:00"])]


class TermsAcceptance(msgspec.Struct):
    """A person's latest acceptance, possibly of an earlier version of the terms."""

    cpf: Annotated[str, Meta(description="CPF da pessoa; mascarado para as demais.", examples=["90000000175"])]
    user_consent: Annotated[bool, Meta(description="Se vale para a versão atual dos termos.", examples=[True])]
    aceito_em: Annotated[
        datetime, Meta(description="Quando aceitou, em UTC.", examples=["2026-10-05T14:30:00.000000Z"])
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt
