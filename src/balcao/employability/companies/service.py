"""Companies that advertise jobs, managed by staff (rules: employability 2.4, 3.2)."""

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.addresses import is_web_address
from balcao.core.values.clock import utc_now
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.employability.companies import store
from balcao.employability.companies.paths import parse_cnpj
from balcao.employability.companies.schemas import Companies, Company, CompanyBody
from balcao.employability.lists import ListMeta
from balcao.employability.schemas import Message
from balcao.employability.texts import clean_line, clean_optional_line, clean_optional_prose

FIELDS = ["empresa"]
LONGEST_NAME = 500
LONGEST_DESCRIPTION = 5000
LONGEST_ADDRESS = 1000
LONGEST_SIZE = 100


async def list_companies(call: Call, page: Page, search: str | None, cnpj: str | None) -> Companies:
    """Return a page of companies, sorted by name.

    `search` is a part of the name, and `cnpj` the whole number.
    """
    async with call.reader.connection() as connection:
        companies, total = await store.select_companies(connection, search, cnpj, page)
    return Companies(companies, ListMeta.of(page, total))


async def read_company(call: Call, cnpj: str) -> Company:
    """Return a company. Raises NotFound if it does not exist."""
    return _require(await store.select_company(call.reader, cnpj))


async def has_company(connection: Connection, cnpj: str) -> bool:
    """Return whether a company with this CNPJ exists."""
    return await store.select_company(connection, cnpj) is not None


async def create_company(call: Call, body: CompanyBody) -> bytes:
    """Add a company and return it as JSON.

    Raises Invalid if a member is not valid. Raises Conflict if the CNPJ is already used, or if the idempotency key was
    used for another request.
    """
    checked = check_new_company(body)

    async def insert() -> Company:
        company = await store.insert_company(connection, checked)
        await call.platform.audit.record(connection, call, "create", fields=FIELDS)
        return company

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [body], insert)


def check_new_company(body: CompanyBody) -> Company:
    """Validate a new company, and return it in the form that is stored. Raises Invalid if a member is not valid."""
    if body.cnpj is None:
        raise Invalid("Falta o campo `cnpj`.", code="cnpj-missing")
    return _check(parse_cnpj(body.cnpj), body)


async def replace_company(call: Call, cnpj: str, body: CompanyBody) -> Company:
    """Replace a company's record.

    Raises NotFound if the company does not exist, PreconditionFailed if `If-Match` does not match, and Invalid if a
    member is not valid or the body has a different CNPJ.
    """
    if body.cnpj is not None and parse_cnpj(body.cnpj) != cnpj:
        raise Invalid("O campo `cnpj` não é o do caminho: o CNPJ de uma empresa não muda.", code="cnpj-differs")
    checked = _check(cnpj, body)
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, cnpj)
        company = await store.update_company(connection, checked)
        await call.platform.audit.record(connection, call, "update", fields=FIELDS)
    return company


async def delete_company(call: Call, cnpj: str) -> Message:
    """Delete a company.

    Raises NotFound if it does not exist, PreconditionFailed if `If-Match` does not match, and Conflict if it has a job,
    even a deleted job.
    """
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, cnpj)
        await store.delete_company(connection, cnpj)
        await call.platform.audit.record(connection, call, "delete", fields=FIELDS)
    return Message("Empresa excluída.")


async def _lock(connection: Connection, call: Call, cnpj: str) -> None:
    require_match(call.if_match, etag_of(msgspec.json.encode(_require(await store.lock_company(connection, cnpj)))))


def _check(cnpj: str, body: CompanyBody) -> Company:
    now = utc_now()  # placeholder; the database sets both instants
    return Company(
        cnpj,
        clean_line("razao_social", body.razao_social, LONGEST_NAME),
        clean_optional_line("nome_fantasia", body.nome_fantasia, LONGEST_NAME),
        clean_optional_prose("descricao", body.descricao, LONGEST_DESCRIPTION),
        _check_address("url_logo", body.url_logo),
        _check_address("website", body.website),
        clean_optional_line("setor", body.setor, LONGEST_NAME),
        clean_optional_line("porte", body.porte, LONGEST_SIZE),
        now,
        now,
    )


def _check_address(field: str, value: str | None) -> str | None:
    address = clean_optional_line(field, value, LONGEST_ADDRESS)
    if address is not None and not is_web_address(address):
        text = f"O campo `{field}` deve ser um endereço inteiro, `https://` ou `http://`, sem usuário e senha."
        raise Invalid(text, code=f"{field}-invalid")
    return address


def _require(company: Company | None) -> Company:
    if company is None:
        raise NotFound("Não há empresa com este CNPJ.", code="employer-unknown")
    return company
