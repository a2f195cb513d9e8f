"""Member types for a citizen's data in the CRM's webhook and in responses (rules: registry 3.4)."""

from typing import Annotated, TypeAlias

from msgspec import Meta

AccountId: TypeAlias = Annotated[str, Meta(description="Id da conta no CRM.", examples=["0015g00000DEMO1AAA"])]
CanalOrigem: TypeAlias = Annotated[str, Meta(description="Canal pelo qual a conta foi criada.", examples=["Portal"])]
CanalUltimaModificacao: TypeAlias = Annotated[str, Meta(description="Canal da última mudança.", examples=["Portal"])]
Cidade: TypeAlias = Annotated[
    str, Meta(description="Cidade do endereço, fora de `endereco`.", examples=["Porto Aurora"])
]
Complemento: TypeAlias = Annotated[str, Meta(description="Complemento do endereço.", examples=["Casa 2"])]
DataNascimento: TypeAlias = Annotated[
    str, Meta(description="Data de nascimento (`AAAA-MM-DD`).", examples=["1997-03-14"])
]
Deficiencia: TypeAlias = Annotated[str, Meta(description="Deficiência declarada.", examples=["Visual"])]
Email: TypeAlias = Annotated[str, Meta(description="E-mail.", examples=["ana@pessoa.example"])]
Escolaridade: TypeAlias = Annotated[str, Meta(description="Escolaridade declarada.", examples=["Superior completo"])]
Genero: TypeAlias = Annotated[str, Meta(description="Gênero declarado.", examples=["Mulher cisgênero"])]
Nacionalidade: TypeAlias = Annotated[str, Meta(description="Nacionalidade.", examples=["Brasileira"])]
Nome: TypeAlias = Annotated[str, Meta(description="Nome civil.", examples=["Ana Beatriz Moreira"])]
NomeExibicao: TypeAlias = Annotated[str, Meta(description="Nome para exibição.", examples=["Ana"])]
NomeSocial: TypeAlias = Annotated[str, Meta(description="Nome social.", examples=["Ana Moreira"])]
Passaporte: TypeAlias = Annotated[str, Meta(description="Número do passaporte.", examples=["FX123456"])]
Raca: TypeAlias = Annotated[str, Meta(description="Raça ou cor declarada.", examples=["Parda"])]
RendaFamiliar: TypeAlias = Annotated[
    str, Meta(description="Faixa de renda familiar declarada.", examples=["1 a 2 salários mínimos"])
]
Telefone1: TypeAlias = Annotated[str, Meta(description="Primeiro telefone.", examples=["21990000001"])]
Telefone2: TypeAlias = Annotated[str, Meta(description="Segundo telefone.", examples=["2124000002"])]
Telefone3: TypeAlias = Annotated[str, Meta(description="Terceiro telefone.", examples=["2124000003"])]
TelefoneInternacional: TypeAlias = Annotated[
    str, Meta(description="Telefone de fora do Brasil, com o código do país.", examples=["+351210000001"])
]
TelefonePrincipal: TypeAlias = Annotated[str, Meta(description="Telefone principal.", examples=["5521990000001"])]
TipoTelefone1: TypeAlias = Annotated[str, Meta(description="Tipo do primeiro telefone.", examples=["Celular"])]
TipoTelefone2: TypeAlias = Annotated[str, Meta(description="Tipo do segundo telefone.", examples=["Residencial"])]
TipoTelefone3: TypeAlias = Annotated[str, Meta(description="Tipo do terceiro telefone.", examples=["Comercial"])]
Bairro: TypeAlias = Annotated[str, Meta(description="Bairro.", examples=["Centro"])]
Cep: TypeAlias = Annotated[str, Meta(description="CEP, 8 dígitos.", examples=["24000011"])]
CidadeDoEndereco: TypeAlias = Annotated[str, Meta(description="Cidade.", examples=["Porto Aurora"])]
ComplementoDoEndereco: TypeAlias = Annotated[str, Meta(description="Complemento.", examples=["Casa 2"])]
Estado: TypeAlias = Annotated[str, Meta(description="Sigla do estado.", examples=["RJ"])]
Logradouro: TypeAlias = Annotated[str, Meta(description="Logradouro e número.", examples=["Rua do Porto, 100"])]
Pais: TypeAlias = Annotated[str, Meta(description="País.", examples=["Brasil"])]
Acao: TypeAlias = Annotated[str, Meta(description="O que o cidadão fez: `optin` ou `optout`.", examples=["optin"])]
Canal: TypeAlias = Annotated[str, Meta(description="Canal do consentimento.", examples=["email"])]
Categoria: TypeAlias = Annotated[str, Meta(description="Categoria do consentimento.", examples=["saude"])]
Data: TypeAlias = Annotated[
    str, Meta(description="Quando foi dado ou retirado (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
]
Finalidade: TypeAlias = Annotated[str, Meta(description="Para que é o consentimento.", examples=["Campanhas de saúde"])]
Motivo: TypeAlias = Annotated[str, Meta(description="Por que foi retirado.", examples=["Recebo mensagens demais"])]
StatusDoConsentimento: TypeAlias = Annotated[
    str, Meta(description="`IN` quando vale, `OUT` quando foi retirado.", examples=["IN"])
]
Idiomas: TypeAlias = Annotated[
    list[str], Meta(description="Idiomas que o cidadão fala.", examples=[["Portugues_Brasil"]])
]
Turista: TypeAlias = Annotated[bool, Meta(description="Se o cidadão é turista.", examples=[False])]
