"""The types of a service's fields, with the descriptions for the API documentation (rules: search 3.1)."""

from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from balcao.core.values.ids import UUID_PATTERN

Name: TypeAlias = Annotated[
    str, Meta(description="Nome do serviço, de 1 a 500 caracteres.", examples=["Poda de árvore"])
]
Organs: TypeAlias = Annotated[
    list[str],
    Meta(description="Órgãos responsáveis, por código ou nome: de 1 a 20.", examples=[["Secretaria de Conservação"]]),
]
Summary: TypeAlias = Annotated[
    str, Meta(description="Resumo em markdown, de 1 a 20000 caracteres.", examples=["Solicita a **poda** de árvores."])
]
Duration: TypeAlias = Annotated[
    str, Meta(description="Em quanto tempo o pedido é atendido, em markdown.", examples=["Até 15 dias úteis"])
]
Cost: TypeAlias = Annotated[str, Meta(description="Quanto custa, em markdown.", examples=["Gratuito"])]
Outcome: TypeAlias = Annotated[
    str, Meta(description="O que se recebe ao final, em markdown.", examples=["Árvore podada."])
]
Description: TypeAlias = Annotated[
    str, Meta(description="Descrição completa em markdown.", examples=["A equipe poda **árvores** em ruas e praças."])
]
Documents: TypeAlias = Annotated[
    list[str], Meta(description="Documentos necessários, até 100 textos em markdown.", examples=[["CPF", "RG"]])
]
Instructions: TypeAlias = Annotated[
    str, Meta(description="O que fazer para pedir, em markdown.", examples=["Informe o endereço da árvore."])
]
DigitalChannels: TypeAlias = Annotated[
    list[str],
    Meta(description="Canais digitais, até 100.", examples=[["https://servicos.portoaurora.example/poda"]]),
]
Places: TypeAlias = Annotated[
    list[str], Meta(description="Onde ser atendido, até 100 lugares.", examples=[["Rua do Porto, 45"]])
]
NotCovered: TypeAlias = Annotated[
    str, Meta(description="O que o serviço não cobre, em markdown.", examples=["Árvores em terreno particular."])
]
Laws: TypeAlias = Annotated[
    list[str], Meta(description="Legislação relacionada, até 100 itens.", examples=[["Lei Municipal 1234/2019"]])
]
Category: TypeAlias = Annotated[str, Meta(description="Categoria, de 1 a 200 caracteres.", examples=["Cidade"])]
Subcategory: TypeAlias = Annotated[
    str, Meta(description="Subcategoria, até 200 caracteres; vazia vale como nula.", examples=["Áreas verdes"])
]
Audience: TypeAlias = Annotated[
    list[str], Meta(description="Para quem é: de 1 a 20 públicos.", examples=[["Público em geral"]])
]
Highlighted: TypeAlias = Annotated[bool, Meta(description="Se aparece em destaque.", examples=[False])]
AwaitingApproval: TypeAlias = Annotated[
    bool, Meta(description="Se espera aprovação; um serviço publicado nunca espera.", examples=[False])
]
PublishedAt: TypeAlias = Annotated[
    int, Meta(description="Quando foi publicado, em segundos Unix; nulo se nunca foi.", examples=[1791232200])
]
IsFree: TypeAlias = Annotated[bool, Meta(description="Se é gratuito; nulo se não se sabe.", examples=[True])]
ExtraFields: TypeAlias = Annotated[
    dict[str, Any],
    Meta(description="Campos livres, até 32 KiB e 5 níveis.", examples=[{"codigo_legado": "poda-1"}]),
]
State: TypeAlias = Annotated[int, Meta(description="0 em edição, 1 publicado.", examples=[0])]
Author: TypeAlias = Annotated[str, Meta(description="Nome de quem criou o serviço.", examples=["Estela Ramos"])]
NoAuthor: TypeAlias = Annotated[str, Meta(description="Sempre vazio: quem escreveu não é público.", examples=[""])]
ServiceId: TypeAlias = Annotated[
    str,
    Meta(
        description="Identificador do serviço.",
        pattern=f"^{UUID_PATTERN}$",
        examples=["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"],
    ),
]
Slug: TypeAlias = Annotated[str, Meta(description="Endereço legível do serviço.", examples=["poda-de-arvore-5f0c2f0e"])]
FormerSlugs: TypeAlias = Annotated[
    list[str], Meta(description="Endereços anteriores, que levam ao atual.", examples=[["corte-de-arvore-5f0c2f0e"]])
]
CreatedAt: TypeAlias = Annotated[int, Meta(description="Quando foi criado, em segundos Unix.", examples=[1791232200])]
LastUpdate: TypeAlias = Annotated[int, Meta(description="Última mudança, em segundos Unix.", examples=[1791235800])]
SearchedText: TypeAlias = Annotated[
    str, Meta(description="O texto em que se busca, derivado dos demais campos.", examples=["Poda de árvore Cidade"])
]
PlainText: TypeAlias = Annotated[
    str, Meta(description="O campo de mesmo nome sem markdown nem HTML.", examples=["Solicita a poda de árvores."])
]
PlainTexts: TypeAlias = Annotated[
    list[str], Meta(description="O campo de mesmo nome sem markdown nem HTML.", examples=[["CPF", "RG"]])
]
ChangeReason: TypeAlias = Annotated[
    str,
    Meta(
        description="Por que se muda, de 3 a 500 caracteres, sem dados pessoais; fica na versão, para colegas.",
        examples=["Endereço novo do posto."],
    ),
]
VersionNumber: TypeAlias = Annotated[int, Meta(description="Número da versão mais nova.", examples=[3])]
