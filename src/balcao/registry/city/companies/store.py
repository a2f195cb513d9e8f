"""SQL for the companies."""

from collections.abc import Sequence
from typing import NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.city.companies.schemas import Company, CompanyRow


@statement("SELECT record::text FROM registry.company WHERE cnpj = :cnpj")
async def select_registered_company(connection: Connection, cnpj: str) -> Json[Company] | None: ...


_OF_PERSON = """
FROM registry.company_member AS member
JOIN registry.company USING (cnpj)
WHERE member.cpf = :cpf
"""
_OF_NATURE = "(:nature::text IS NULL OR company.record #>> '{natureza_juridica,id}' = :nature)"


@lookup(
    page_sql(
        f"SELECT company.record::text {_OF_PERSON} AND {_OF_NATURE} ORDER BY cnpj LIMIT :limit OFFSET :offset",
        f"SELECT count(*) {_OF_PERSON} AND {_OF_NATURE}",
    )
)
async def list_companies_of(source: Source, cpf: Cpf, nature: str | None, page: Page) -> Paged[Json[Company]]:
    """Return a page of the companies in which the person is a partner or the responsible person, sorted by CNPJ."""


@statement(f"SELECT company.record::text {_OF_PERSON} ORDER BY cnpj")
async def list_all_companies_of(connection: Connection, cpf: Cpf) -> list[Json[Company]]: ...


@statement("""
INSERT INTO registry.company (cnpj, record)
SELECT record ->> 'cnpj', record FROM jsonb_array_elements(:rows::jsonb) AS row (record)
ON CONFLICT (cnpj) DO UPDATE SET record = excluded.record, loaded_at = now()
WHERE company.record <> excluded.record
RETURNING cnpj
""")
async def upsert_companies(connection: Connection, rows: Sequence[CompanyRow]) -> list[str]:
    """Insert or update the companies. Return the CNPJs of those that were new or changed.

    Only the table's owner may do this.

    `rows` must not contain a CNPJ twice.
    """


@statement("DELETE FROM registry.company_member WHERE cnpj = ANY(:cnpjs::text[])")
async def delete_company_members(connection: Connection, cnpjs: Sequence[str]) -> None: ...


class CompanyMember(NamedTuple):
    """A person who is a company's partner or is responsible for it."""

    cpf: Cpf
    cnpj: str


@statement("""
INSERT INTO registry.company_member (cpf, cnpj) SELECT * FROM unnest(:members.cpf::text[], :members.cnpj::text[])
""")
async def insert_company_members(connection: Connection, members: Sequence[CompanyMember]) -> None: ...


EXPORTS = Exports(
    [Export("companies", Rows("registry.company", "stored.record"))], derived=("registry.company_member",)
)
