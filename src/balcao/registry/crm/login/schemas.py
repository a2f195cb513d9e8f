"""Wire types of the login sync, and of a citizen as the CRM has them."""

import msgspec

Text = str | msgspec.UnsetType
UNSET = msgspec.UNSET


class CidadaoConsent(msgspec.Struct):
    acao: Text = UNSET
    canal: Text = UNSET
    categoria: Text = UNSET
    data: Text = UNSET
    finalidade: Text = UNSET
    motivo: Text = UNSET
    status: Text = UNSET


class CidadaoAddress(msgspec.Struct):
    bairro: Text = UNSET
    cep: Text = UNSET
    cidade: Text = UNSET
    complemento: Text = UNSET
    estado: Text = UNSET
    logradouro: Text = UNSET
    pais: Text = UNSET


class Cidadao(msgspec.Struct, rename="camel"):
    """The citizen as the CRM has it (spec: CRM citizen data). A text that it does not have is left out, never null."""

    account_id: str
    cpf: str
    nome: str
    consentimento: list[CidadaoConsent]
    endereco: CidadaoAddress
    idioma: list[str]
    is_tourist: bool
    canal_origem: Text = UNSET
    canal_ultima_modificacao: Text = UNSET
    complemento: Text = UNSET
    data_nascimento: Text = UNSET
    deficiencia: Text = UNSET
    email: Text = UNSET
    escolaridade: Text = UNSET
    genero: Text = UNSET
    nacionalidade: Text = UNSET
    nome_exibicao: Text = UNSET
    nome_social: Text = UNSET
    passaporte: Text = UNSET
    raca: Text = UNSET
    renda_familiar: Text = UNSET
    telefone1: Text = UNSET
    telefone2: Text = UNSET
    telefone3: Text = UNSET
    telefone_internacional: Text = UNSET
    telefone_principal: Text = UNSET
    tipo_telefone1: Text = UNSET
    tipo_telefone2: Text = UNSET
    tipo_telefone3: Text = UNSET


class LoginSync(msgspec.Struct):
    """The result of the login sync (spec: login-sync rules): `action` is matched or created."""

    action: str
    cidadao: Cidadao
