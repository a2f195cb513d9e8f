"""The companies in the sandbox's registry. Iara is a partner in the bakery."""

from collections.abc import Iterator, Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.core.values.cpf import Cpf
from balcao.registry.city.companies.imports import IMPORTS
from balcao.registry.city.companies.schemas import (
    CompanyAddress,
    CompanyCode,
    CompanyContact,
    CompanyPartner,
    CompanyPhone,
    CompanyRegistration,
    CompanyResponsible,
    CompanyRow,
)

BAKERY = "90000001000129"
# This company is not registered in employability yet, so that users can add it there.
WORKSHOP = "90000007000104"
# CNPJ, legal name, trade name, responsible person, other partners, main activity, nature, size, capital and street of
# each company.
_ROWS = (
    (BAKERY, "Padaria Aurora Ltda.", "Padaria Aurora", 20, (9,), "1091102", "2062", "01", 50_000, "do Porto"),
    ("90000002000173", "Construtora Horizonte S.A.", "Construtora Horizonte", 21, (22,), "4120400", "2054", "05",
     900_000, "do Farol"),
    ("12ABC34501DE35", "Estúdio Digital Maré Ltda.", "Estúdio Digital Maré", 23, (), "6201501", "2062", "03", 20_000,
     "das Acácias"),
    (WORKSHOP, "Oficina Beira-Rio Ltda.", "Oficina Beira-Rio", 24, (), "4520001", "2062", "01", 30_000, "do Porto"),
)  # fmt: skip
_NATURES = {"2062": "Sociedade Empresária Limitada", "2054": "Sociedade Anônima Fechada"}
_SIZES = {"01": "Microempresa", "03": "Empresa de Pequeno Porte", "05": "Demais"}


async def load_demo_registered_companies(platform: Platform) -> None:
    await imports.import_rows(platform, IMPORTS[0], list(_list_rows()))


def _list_rows() -> Iterator[CompanyRow]:
    for number, (cnpj, name, trade_name, head, others, activity, nature, size, capital, street) in enumerate(_ROWS, 1):
        people = [Cpf.with_stem(f"900000{n:03}") for n in (head, *others)]
        yield CompanyRow(
            id_=f"demo-company-{number}",
            cnpj=cnpj,
            razao_social=name,
            nome_fantasia=trade_name,
            capital_social=capital,
            cnae_fiscal=activity,
            natureza_juridica=CompanyCode(nature, _NATURES[nature]),
            porte=CompanyCode(size, _SIZES[size]),
            matriz_filial=CompanyCode("1", "Matriz"),
            inicio_atividade_data="2015-03-02",
            situacao_cadastral=CompanyRegistration("2", "Ativa", "2015-03-02", "0", "Sem motivo"),
            contato=CompanyContact([CompanyPhone("21", f"2400000{number}")], f"contato@empresa{number}.example"),
            endereco=_make_address(street, number),
            responsavel=CompanyResponsible(people[0].digits, "49", "Sócio-Administrador", "2015-03-02"),
            socios_quantidade=len(people),
            socios=[CompanyPartner(tipo="2", cpf_socio=cpf.digits, qualificacao_socio="49") for cpf in people],
        )


def _make_address(street: str, number: int) -> CompanyAddress:
    return CompanyAddress(
        cep=f"2400001{number}",
        uf="RJ",
        municipio_nome="Porto Aurora",
        bairro="Centro",
        tipo_logradouro="Rua",
        logradouro=street,
        numero=str(number * 100),
    )


async def find_registered_company_examples(_: Platform) -> Mapping[str, Any]:
    return {"cnpj": BAKERY}
