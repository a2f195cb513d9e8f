"""Routes for companies."""

from collections.abc import Mapping
from typing import Annotated

from balcao.core.access.rules import action, public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import InQuery, Query
from balcao.core.http.responses import NO_STORE, Response, created, stored, to_json, with_etag
from balcao.core.values.cnpj import strip_cnpj
from balcao.core.values.page import Page
from balcao.employability.companies import lookup, service, store
from balcao.employability.companies.imports import IMPORTS
from balcao.employability.companies.paths import CnpjInPath
from balcao.employability.companies.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    Companies,
    Company,
    CompanyBody,
    CompanyQuery,
    LegalEntity,
)
from balcao.employability.lists import parse_list_page, read_text
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/empresas"
LISTED = "public, no-cache"
RATE = "60/minute"
EXAMPLE = {
    "cnpj": "11.222.333/0001-81",
    "razao_social": "Oficina Beira-Rio Ltda.",
    "nome_fantasia": "Oficina Beira-Rio",
    "website": "https://beirario.example",
    "setor": "Serviços",
}

routes = ROUTES.extend(tags=["companies"], body_limit=FORM_BODY)


def read_cnpj(query: Mapping[str, str]) -> str | None:
    """Return the query's CNPJ without punctuation, or None if it is absent. An invalid CNPJ matches no company."""
    return strip_cnpj(query.get("cnpj", "")) or None


CompanyPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), CompanyQuery)
]


@routes.get(
    BASE,
    "employability.list_companies",
    public(),
    "Lista empresas",
    errors=[304],
    may_lag=True,
)
async def get_companies(call: Call, page: CompanyPage, query: Query) -> Response[Companies]:
    """Devolve as empresas que anunciam vagas, em ordem de nome fantasia ou, na falta dele, de razão social. `search`
    procura nos dois nomes, sem distinguir maiúsculas nem acentos. Não pede token.
    """
    found = await service.list_companies(call, page, read_text(query, "search"), read_cnpj(query))
    return with_etag(found, call, LISTED)


@routes.post(
    BASE,
    "employability.create_company",
    action("employer:create"),
    "Cadastra uma empresa",
    example=EXAMPLE,
    status=201,
    errors=[409],
    rate=RATE,
)
async def post_company(call: Call, body: CompanyBody) -> Response[Company]:
    """Cadastra uma empresa e a devolve. O CNPJ pode ter letras e pontuação; a pontuação não é gravada. Se já existe uma
    empresa com o CNPJ, a resposta é 409, com uma mensagem que termina em `(duplicate key 23505)`.
    """
    return created(await service.create_company(call, body))


@routes.get(
    f"{BASE}/consulta-cnpj/{{cnpj}}",
    "employability.look_up_company",
    action("employer:lookup"),
    "Consulta um CNPJ no cadastro da cidade",
    errors=[400],
    rate="30/minute",
)
async def look_up_company(call: Call, cnpj: CnpjInPath) -> Response[LegalEntity]:
    """Devolve os dados que o cadastro da cidade tem de um CNPJ, para preencher o formulário de uma empresa. O que ele
    não tem é nulo. Os dados podem ter até meia hora.
    """
    return to_json(await lookup.look_up_company(call, cnpj), headers={"Cache-Control": NO_STORE})


@routes.get(
    f"{BASE}/{{cnpj}}",
    "employability.read_company",
    public(),
    "Uma empresa",
    errors=[304, 400],
    may_lag=True,
)
async def get_company(call: Call, cnpj: CnpjInPath) -> Response[Company]:
    """Devolve uma empresa pelo CNPJ, com ou sem pontuação. Não pede token."""
    return with_etag(await service.read_company(call, cnpj), call, LISTED)


@routes.put(
    f"{BASE}/{{cnpj}}",
    "employability.replace_company",
    action("employer:update"),
    "Altera uma empresa",
    example={"razao_social": "Padaria Aurora Ltda.", "nome_fantasia": "Padaria Aurora", "setor": "Alimentação"},
    errors=[412],
    rate=RATE,
)
async def put_company(call: Call, cnpj: CnpjInPath, body: CompanyBody) -> Response[Company]:
    """Substitui os dados de uma empresa e os devolve. O CNPJ não muda, e um texto vazio conta como ausente. Com
    `If-Match`, a mudança só é feita se a empresa não mudou desde que foi lida.
    """
    return stored(await service.replace_company(call, cnpj, body))


@routes.delete(
    f"{BASE}/{{cnpj}}",
    "employability.delete_company",
    action("employer:delete"),
    "Exclui uma empresa",
    errors=[400, 409, 412],
    rate=RATE,
)
async def delete_company(call: Call, cnpj: CnpjInPath) -> Message:
    """Exclui uma empresa que não tem nenhuma vaga. Se tem alguma, mesmo excluída, a resposta é 409, com uma mensagem
    que termina em `(foreign key constraint 23503)`.
    """
    return await service.delete_company(call, cnpj)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
