"""The records in a new sandbox CRM."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from balcao.crm.fields import FieldMap
from balcao_sandbox.crm.objects import ACCOUNT, CONSENT, RELATED, Entity
from balcao_sandbox.identity.demo import people


def accounts() -> Iterator[tuple[Entity, dict[str, Any]]]:
    """Yield each demo record as its entity and its fields. An account's id and dates are the same on every machine."""
    known = {person.cpf: {"nome": person.name, "dataNascimento": person.birth_date} for person in people()}
    rows = tomllib.loads(files(__package__).joinpath("accounts.toml").read_text("utf-8"))["account"]
    for number, account in enumerate(rows, 1):
        consents = account.pop("consent", [])
        related = [(entity, record) for entity in RELATED for record in account.pop(entity.name, [])]
        moment = f"2026-01-{number:02d}T12:00:00.000+0000"
        account |= {"Id": f"{ACCOUNT.prefix}{number:015d}", "CreatedDate": moment, "LastModifiedDate": moment}
        yield ACCOUNT, account | FieldMap.load().to_crm(known[account["CPF__c"]])
        for consent in consents:
            key = "|".join((account["CPF__c"], consent["Categoria__c"], consent["Canal__c"]))
            yield CONSENT, consent | {"Conta__c": account["Id"], "CPF__c": account["CPF__c"], "Chave__c": key}
        for entity, record in related:
            yield entity, record | {"AccountId": account["Id"], "CPF__c": account["CPF__c"]}
