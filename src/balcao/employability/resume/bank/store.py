"""SQL for the resume bank: people with a resume who accepted the current terms, and their names."""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page


class BankPerson(NamedTuple):
    """A person of the bank. `id` is the id of their acceptance of the terms."""

    id: UUID
    cpf: Cpf
    nome: str | None
    nome_social: str | None
    profissao: str | None
    escolaridade: str | None
    data_inclusao: datetime


# The occupation is the title of the current job, or else the title of the job added last. The schooling is the highest
# completed level, or else the highest level.
_MEMBERS = """
    acceptance.id, acceptance.cpf, person.nome, person.nome_social, (
        SELECT experience.cargo FROM employability.experience WHERE experience.cpf = acceptance.cpf
        ORDER BY eh_trabalho_atual DESC, created_at DESC, id LIMIT 1
    ) AS profissao, (
        SELECT value.descricao FROM employability.education
        JOIN employability.reference_value AS value ON value.id = education.id_escolaridade
        WHERE education.cpf = acceptance.cpf
        ORDER BY (education.status = 'Completo') IS TRUE DESC, value.posicao DESC LIMIT 1
    ) AS escolaridade, acceptance.aceito_em AS data_inclusao
"""
_IN_BANK = """acceptance.version = :version
    AND EXISTS (SELECT FROM employability.resume WHERE resume.cpf = acceptance.cpf)"""
_NAMED = "employability.bank_person AS person ON person.cpf = acceptance.cpf"
_ALL = f"employability.terms_acceptance AS acceptance LEFT JOIN {_NAMED} WHERE {_IN_BANK}"
_FOUND = f"""employability.terms_acceptance AS acceptance JOIN {_NAMED}
    WHERE {_IN_BANK} AND person.search_text LIKE employability.containing(:search)"""
# Triggers maintain `bank_tally`, so a page of the whole bank does not need to count all people.
_ORDER = "ORDER BY acceptance.aceito_em DESC, acceptance.cpf LIMIT :limit OFFSET :offset"


@statement(
    page_sql(
        f"SELECT {_MEMBERS} FROM {_ALL} {_ORDER}",
        "SELECT coalesce(sum(number), 0) FROM employability.bank_tally WHERE version = :version",
    )
)
async def list_bank_people(connection: Connection, version: str, page: Page) -> Paged[BankPerson]: ...


@statement(page_sql(f"SELECT {_MEMBERS} FROM {_FOUND} {_ORDER}", f"SELECT count(*) FROM {_FOUND}"))
async def search_bank_people(connection: Connection, version: str, search: str, page: Page) -> Paged[BankPerson]:
    """Return one page of people, and the total number of matches. People without stored names never match."""


@statement(f"SELECT {_MEMBERS} FROM {_ALL} AND acceptance.id = :acceptance")
async def read_bank_person(connection: Connection, version: str, acceptance: UUID) -> BankPerson | None: ...


@statement(f"SELECT {_MEMBERS} FROM {_ALL} AND acceptance.cpf = :cpf")
async def find_bank_person(connection: Connection, version: str, cpf: Cpf) -> BankPerson | None: ...


@statement("SELECT cpf FROM employability.terms_acceptance WHERE id = :acceptance")
async def find_accepting_person(connection: Connection, acceptance: UUID) -> Cpf | None:
    """Return the CPF of the person who accepted, or None if the acceptance was revoked."""


# If the person has revoked the acceptance in the meantime, write nothing. FOR KEY SHARE waits for a concurrent
# revocation, so the insert skips the person instead of violating the foreign key.
@statement("""
INSERT INTO employability.bank_person AS person (cpf, nome, nome_social)
SELECT cpf, :name, :social_name FROM employability.terms_acceptance WHERE cpf = :cpf FOR KEY SHARE
ON CONFLICT (cpf) DO UPDATE SET
    nome = excluded.nome, nome_social = excluded.nome_social, read_at = clock_timestamp()
""")
async def upsert_bank_names(connection: Connection, cpf: Cpf, name: str | None, social_name: str | None) -> None:
    """Store the names that were just read from the registry."""


@statement("""
SELECT acceptance.id
FROM employability.terms_acceptance AS acceptance LEFT JOIN employability.bank_person AS person USING (cpf)
WHERE person.cpf IS NULL OR person.read_at < now() - :age::interval ORDER BY person.read_at NULLS FIRST LIMIT :most
""")
async def list_stale_acceptances(connection: Connection, age: timedelta, most: int) -> list[UUID]:
    """Return acceptances whose names were never read, then acceptances with names older than `age`, oldest first."""
