"""Wire types for the login sync, and for a citizen's data in the CRM."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.registry.crm import members
from balcao.registry.members import CpfDigits


class CidadaoConsent(msgspec.Struct):
    """A consent in the CRM."""

    acao: members.Acao | UnsetType = UNSET
    canal: members.Canal | UnsetType = UNSET
    categoria: members.Categoria | UnsetType = UNSET
    data: members.Data | UnsetType = UNSET
    finalidade: members.Finalidade | UnsetType = UNSET
    motivo: members.Motivo | UnsetType = UNSET
    status: members.StatusDoConsentimento | UnsetType = UNSET


class CidadaoAddress(msgspec.Struct):
    """An address in the CRM."""

    bairro: members.Bairro | UnsetType = UNSET
    cep: members.Cep | UnsetType = UNSET
    cidade: members.CidadeDoEndereco | UnsetType = UNSET
    complemento: members.ComplementoDoEndereco | UnsetType = UNSET
    estado: members.Estado | UnsetType = UNSET
    logradouro: members.Logradouro | UnsetType = UNSET
    pais: members.Pais | UnsetType = UNSET


class Cidadao(msgspec.Struct, rename="camel"):
    """A citizen in the CRM (spec: CRM citizen data). Optional members without a value are omitted, never null."""

    account_id: members.AccountId
    cpf: CpfDigits
    nome: members.Nome
    consentimento: Annotated[list[CidadaoConsent], Meta(description="Consentimentos do cidadão no CRM.")]
    endereco: Annotated[CidadaoAddress, Meta(description="Endereço do cidadão no CRM.")]
    idioma: members.Idiomas
    is_tourist: members.Turista
    canal_origem: members.CanalOrigem | UnsetType = UNSET
    canal_ultima_modificacao: members.CanalUltimaModificacao | UnsetType = UNSET
    complemento: members.Complemento | UnsetType = UNSET
    data_nascimento: members.DataNascimento | UnsetType = UNSET
    deficiencia: members.Deficiencia | UnsetType = UNSET
    email: members.Email | UnsetType = UNSET
    escolaridade: members.Escolaridade | UnsetType = UNSET
    genero: members.Genero | UnsetType = UNSET
    nacionalidade: members.Nacionalidade | UnsetType = UNSET
    nome_exibicao: members.NomeExibicao | UnsetType = UNSET
    nome_social: members.NomeSocial | UnsetType = UNSET
    passaporte: members.Passaporte | UnsetType = UNSET
    raca: members.Raca | UnsetType = UNSET
    renda_familiar: members.RendaFamiliar | UnsetType = UNSET
    telefone1: members.Telefone1 | UnsetType = UNSET
    telefone2: members.Telefone2 | UnsetType = UNSET
    telefone3: members.Telefone3 | UnsetType = UNSET
    telefone_internacional: members.TelefoneInternacional | UnsetType = UNSET
    telefone_principal: members.TelefonePrincipal | UnsetType = UNSET
    tipo_telefone1: members.TipoTelefone1 | UnsetType = UNSET
    tipo_telefone2: members.TipoTelefone2 | UnsetType = UNSET
    tipo_telefone3: members.TipoTelefone3 | UnsetType = UNSET


class LoginSync(msgspec.Struct):
    """The result of the login sync (spec: login-sync rules)."""

    action: Annotated[
        str, Meta(description="`matched` quando a conta já existia, `created` quando foi criada.", examples=["matched"])
    ]
    cidadao: Annotated[Cidadao, Meta(description="O cidadão como o CRM o tem agora.")]
