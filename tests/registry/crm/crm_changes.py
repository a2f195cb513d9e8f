"""Random changes in the CRM, and the events that the CRM sends about them."""

import random
from typing import Any

from balcao.crm.fields import FieldMap
from tests.support.crm import RunningCrm
from tests.support.polling import until_now

VALUES: dict[str, list[Any]] = {
    "PersonEmail": [None, "a@x.example", "b@x.example"],
    "Genero__c": [None, "Nao_binario", "Homem_cisgenero"],
    "PersonMobilePhone": [None, "5521977776666"],
    "PersonMailingCity": [None, "Maricá", "Niterói"],
    "Complemento__c": [None, "Casa 2"],
    "Idioma__c": [None, "pt", "pt;en"],
    "Turista__c": [True, False],
}


def draw_change(chance: random.Random) -> tuple[str, Any]:
    """Return the kind and the content of a random change."""
    match chance.randrange(8):
        case 0:
            return "anonymise", None
        case 1 | 2 | 3:
            return "consent", (chance.choice(["saude", "eventos"]), chance.choice(["IN", "OUT"]))
        case _:
            fields = chance.sample(sorted(VALUES), chance.randint(1, 3))
            return "account", {field: chance.choice(VALUES[field]) for field in fields}


def change(crm: RunningCrm, cpf: str, what: str, how: Any) -> dict[str, Any]:
    """Make the change in the CRM, and return the event that the CRM sends about it."""
    [account] = crm.accounts(cpf)
    if what == "account":
        crm.change("Account", account["Id"], **how)
        dados = FieldMap.load().from_crm(how)
        return {"cpf": cpf, "updatedAt": crm.accounts(cpf)[0]["LastModifiedDate"], "dados": dados}
    if what == "consent":
        category, status = how
        fields = {"Categoria__c": category, "Status__c": status, "Motivo__c": "x", "CPF__c": cpf}
        key = f"{cpf}|{category}|"
        crm.upsert("Consentimento__c", "Chave__c", key, **fields, Conta__c=account["Id"])
        [stored] = [one for one in crm.accounts(cpf)[0]["consents"] if one["Chave__c"] == key]
        entry = {"categoria": category, "status": status, "motivo": "x"}
        return {"cpf": cpf, "updatedAt": stored["LastModifiedDate"], "dados": {"consentimento": [entry]}}
    filed = crm.insert("SolicitacaoAnonimizacao__c", Conta__c=account["Id"], CPF__c=cpf)
    query = f"SELECT Status__c, LastModifiedDate FROM SolicitacaoAnonimizacao__c WHERE Id = '{filed}'"
    until_now(lambda: crm.query(query)[0]["Status__c"] == "concluido")
    return {"cpf": cpf, "evento": "anonimizacao", "updatedAt": crm.query(query)[0]["LastModifiedDate"]}
