"""Routes for the resume bank."""

from typing import Annotated
from uuid import UUID

from balcao.core.access.rules import action
from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath, InQuery, Query
from balcao.core.http.responses import Response, personal
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import UUID_PATTERN, parse_uuid
from balcao.core.values.page import Page
from balcao.employability.lists import parse_list_page, read_text
from balcao.employability.resume.bank import service
from balcao.employability.resume.bank.jobs import KINDS
from balcao.employability.resume.bank.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    BankEntries,
    BankQuery,
    BankResume,
)
from balcao.employability.routes import ROUTES

BASE = "/api/v1/empregabilidade/banco-curriculos"
READ = "resume_bank:read"
PATTERN = rf"^({UUID_PATTERN}|[0-9]{{11}}|[0-9]{{3}}\.[0-9]{{3}}\.[0-9]{{3}}-[0-9]{{2}})$"

routes = ROUTES.extend(tags=["resume-bank"], body_limit=SMALL_BODY)


def parse_key(text: str) -> UUID | Cpf:
    """Parse the id or the CPF in a path. Raises Invalid for anything else."""
    found = parse_uuid(text) or Cpf.parse_path(text)
    if found is None:
        raise Invalid("O caminho não tem um UUID nem um CPF válido.", code="id-invalid")
    return found


KeyInPath = Annotated[UUID | Cpf, InPath(parse_key, "Identificador no banco (UUID) ou CPF", "90000000175", PATTERN)]
BankPage = Annotated[Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), BankQuery)]


@routes.get(
    BASE,
    "employability.list_bank",
    action(READ),
    "Banco de currículos",
    concerns_people=True,
    errors=[304],
)
async def get_bank(call: Call, page: BankPage, query: Query) -> Response[BankEntries]:
    """Devolve as pessoas com currículo que aceitaram os termos atuais, da inclusão mais nova à mais antiga. `search`
    procura no nome e no nome social, sem distinguir maiúsculas nem acentos. O CPF vem mascarado, e a leitura de cada
    pessoa da página fica na auditoria.
    """
    return personal(await service.list_people(call, page, read_text(query, "search")), call)


@routes.get(
    f"{BASE}/{{id}}",
    "employability.read_bank_resume",
    action(READ),
    "Uma pessoa do banco de currículos",
    concerns_people=True,
    errors=[304],
)
async def get_bank_resume(call: Call, id: KeyInPath) -> Response[BankResume]:
    """Devolve o currículo de uma pessoa do banco, com os dados atuais do cadastro da cidade. Informe o `id` do banco ou
    o CPF. O que a pessoa não informou é nulo. A leitura fica na auditoria.
    """
    return personal(await service.read_person(call, id), call)


# The names come from the registry. They are deleted together with the person's acceptance of the terms.
FEATURE = Feature(
    routes=routes.declared,
    jobs=KINDS,
    personal_data=PersonalData("resume_bank", tables=("employability.bank_person",)),
    exports=Exports(derived=("employability.bank_person", "employability.bank_tally")),
)
