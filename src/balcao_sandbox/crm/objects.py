"""The sandbox CRM's object types: their fields and validation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from balcao_sandbox.crm.refusals import Refused, make_invalid_field

GENDERS = (
    "Homem_cisgenero",
    "Mulher_cisgenero",
    "Homem_transgenero",
    "Mulher_transgenero",
    "Nao_binario",
    "Outro_Prefere_nao_informar",
)
RACES = ("Branca", "Preta", "Parda", "Amarela", "Indígena", "Outra")
_CPF = re.compile(r"[0-9]{11}")


@dataclass(frozen=True)
class Field:
    kind: Literal["text", "boolean", "date"] = "text"
    longest: int = 255
    values: tuple[str, ...] = ()
    required: bool = False
    written_by_crm: bool = False

    def clean(self, name: str, value: Any) -> Any:
        """Validate a value and return it in the form in which it is stored. An empty string becomes null.

        Raises Refused if the value is not valid.
        """
        if value is None or value == "":
            return self._clean_absent(name)
        if not isinstance(value, bool) if self.kind == "boolean" else not isinstance(value, str):
            raise Refused(400, "JSON_PARSER_ERROR", f"Cannot deserialize {self.kind}", [name])
        if isinstance(value, str):
            self._check_text(name, value)
        return value

    def _check_text(self, name: str, value: str) -> None:
        if self.kind == "date":
            _check_date(name, value)
        if len(value) > self.longest:
            raise Refused(400, "STRING_TOO_LONG", f"data value too large (max length={self.longest})", [name])
        if self.values and value not in self.values:
            raise Refused(400, "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", "bad value for restricted picklist", [name])

    def _clean_absent(self, name: str) -> Any:
        if self.required:
            raise make_missing(name)
        return False if self.kind == "boolean" else None


@dataclass(frozen=True)
class Entity:
    """An object type. `external` is the unique field by which an upsert can address a record.

    `account` is the field that contains the id of the record's account. Only this id determines whose record it is. A
    CPF in the record does not matter.
    """

    name: str
    prefix: str
    fields: Mapping[str, Field]
    external: str | None = None
    account: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def check_field(self, name: str) -> str:
        """Return `name`. Raises Refused if the object type has no such field."""
        if name not in self.fields:
            raise make_invalid_field(name)
        return name

    def clean(self, written: Mapping[str, Any], *, new: bool) -> dict[str, Any]:
        """Validate the fields and return them in the form in which they are stored.

        Raises Refused for the first invalid field.
        """
        for name in written:
            if self.fields[self.check_field(name)].written_by_crm:
                raise make_invalid_field(name)
        values = {name: self.fields[name].clean(name, value) for name, value in written.items()}
        if "CPF__c" in values and not _CPF.fullmatch(values["CPF__c"] or ""):
            raise Refused(400, "FIELD_CUSTOM_VALIDATION_EXCEPTION", "eleven digits", ["CPF__c"])
        if new:
            self._require_all(values)
        return values

    def _require_all(self, values: Mapping[str, Any]) -> None:
        for name, kind in self.fields.items():
            if kind.required and name not in values:
                raise make_missing(name)


def make_missing(name: str) -> Refused:
    return Refused(400, "REQUIRED_FIELD_MISSING", "Required fields are missing", [name])


def _check_date(name: str, value: str) -> None:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise Refused(400, "JSON_PARSER_ERROR", "Cannot deserialize date", [name]) from None


_SYSTEM = {name: Field(written_by_crm=True) for name in ("Id", "Name", "CreatedDate", "LastModifiedDate")}
_PHONES = ("Phone", "PersonMobilePhone", "PersonHomePhone", "PersonOtherPhone", "TelefoneInternacional__c")
_TEXTS = (
    "Bairro__c",
    "CanalOrigem__c",
    "CanalUltimaModificacao__c",
    "Complemento__c",
    "ContaOrigem__c",
    "Deficiencia__c",
    "Escolaridade__c",
    "FirstName",
    "Idioma__c",
    "Nacionalidade__c",
    "NomeExibicao__c",
    "NomeSocial__c",
    "Passaporte__c",
    "PersonMailingCity",
    "PersonMailingCountry",
    "PersonMailingPostalCode",
    "PersonMailingState",
    "PersonMailingStreet",
    "RendaFamiliar__c",
    "TipoTelefone1__c",
    "TipoTelefone2__c",
    "TipoTelefone3__c",
)

ACCOUNT = Entity(
    "Account",
    "001",
    {
        **_SYSTEM,
        **{name: Field() for name in _TEXTS},
        **{name: Field(longest=40) for name in _PHONES},
        "CPF__c": Field(longest=11),
        "Genero__c": Field(values=GENDERS),
        "IsPersonAccount": Field("boolean", written_by_crm=True),
        "LastName": Field(required=True),
        "PersonBirthdate": Field("date"),
        "PersonEmail": Field(longest=80),
        "Raca__c": Field(values=RACES),
        "Turista__c": Field("boolean"),
    },
    external="CPF__c",
    defaults={"IsPersonAccount": True, "Turista__c": False},
)
CONSENT = Entity(
    "Consentimento__c",
    "a01",
    {
        **_SYSTEM,
        **{name: Field() for name in ("Canal__c", "Categoria__c", "Data__c", "Finalidade__c", "Motivo__c")},
        "Chave__c": Field(),
        "Conta__c": Field(required=True),
        "CPF__c": Field(longest=11),
        "Status__c": Field(values=("IN", "OUT")),
    },
    external="Chave__c",
    account="Conta__c",
)
ANONYMISATION = Entity(
    "SolicitacaoAnonimizacao__c",
    "a02",
    {
        **_SYSTEM,
        "Conta__c": Field(required=True),
        "CPF__c": Field(longest=11, required=True),
        "DataConclusao__c": Field(written_by_crm=True),
        "Status__c": Field(values=("enfileirado", "concluido", "falhou", "cancelado")),
    },
    account="Conta__c",
    defaults={"Status__c": "enfileirado"},
)


def _declare_related(name: str, prefix: str, number: str, *texts: str) -> Entity:
    """Declare an object type for a person's contacts with the city, for example cases or work orders."""
    fields = {**_SYSTEM, **{text: Field() for text in texts}, number: Field(required=True)}
    return Entity(name, prefix, {**fields, "AccountId": Field(required=True), "CPF__c": Field(longest=11)})


# A case need not belong to a person: requests without a login have no account. If the case number is missing, the CRM
# assigns one.
CASE = Entity(
    "Case",
    "500",
    {
        **_SYSTEM,
        **{name: Field() for name in ("CaseNumber", "Type", "Subcategoria__c", "Status", "Origin", "AccountId")},
        "CPF__c": Field(longest=11),
        "Description": Field(longest=32_000),
        "Endereco__c": Field(),
        "Mensagem__c": Field(longest=2_000),
        "NumeroPedido__c": Field(longest=40),
        "PedidoBalcao__c": Field("boolean"),
        "Prazo__c": Field(),
    },
    external="NumeroPedido__c",
    defaults={"Status": "Aberto", "PedidoBalcao__c": False},
)
# A step that the platform reports for a case: an action by a citizen or a member of staff.
CASE_STEP = Entity(
    "PassoPedido__c",
    "a04",
    {
        **_SYSTEM,
        **{name: Field() for name in ("AccountId", "Autor__c", "Chave__c", "Estado__c")},
        "CPF__c": Field(longest=11),
        "NumeroPedido__c": Field(longest=40, required=True),
        "Texto__c": Field(longest=2_000),
    },
    external="Chave__c",
)
TASK = _declare_related("Task", "00T", "Subject", "Status")
WORK_ORDER = _declare_related(
    "WorkOrder",
    "0WO",
    "WorkOrderNumber",
    "Subject",
    "Status",
    "Endereco__c",
    "EndDate",
    "PrevisaoSLA__c",
    "Protocolo__c",
)
PROGRESS = _declare_related("AndamentoOrdem__c", "a03", "NumeroOrdem__c", "Protocolo__c", "Data__c", "Descricao__c")
RELATED = (CASE, TASK, WORK_ORDER, PROGRESS)
ENTITIES = {entity.name: entity for entity in (ACCOUNT, CONSENT, ANONYMISATION, *RELATED, CASE_STEP)}
